// Every test of the modules that need no page; `make lint` runs them in Node.
import "./file.test";
import "./ledger.test";
import "./path.test";
import "./schema.test";
import "./yaml.test";
import "./text.test";
