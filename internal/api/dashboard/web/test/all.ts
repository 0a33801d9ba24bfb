// The tests of the modules that do not need a browser. `make web-test` runs them in Node.
import "./address.test";
import "./api.test";
import "./file.test";
import "./ledger.test";
import "./marked.test";
import "./notifications.test";
import "./path.test";
import "./people.test";
import "./plot.test";
import "./schema.test";
import "./start.test";
import "./yaml.test";
import "./text.test";
import "./why.test";
import "./words.test";
