// What the bundler makes elements of; it puts this import into every file that has some.
export { Fragment, h } from "preact";
