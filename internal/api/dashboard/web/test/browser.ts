// The parts of a browser that modules use when they are loaded. Import this module before them.
const page = { hash: "", pathname: "/", href: "http://localhost/", origin: "http://localhost" };
Object.assign(globalThis, {
  location: page,
  localStorage: { getItem: () => null, setItem: () => undefined },
  document: { baseURI: page.href, documentElement: { dataset: {} } },
  addEventListener: () => undefined,
  BroadcastChannel: class {
    postMessage() {}
  },
});

/** Sets the address of the page. */
export function visit(hash: string) {
  page.hash = hash;
}
