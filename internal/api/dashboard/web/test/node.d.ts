// The parts of Node that the tests use, so that its types are not a dependency.
declare module "node:test" {
  const test: (name: string, run: () => void | Promise<void>) => void;
  export default test;
}
declare module "node:assert/strict" {
  const assert: {
    ok(value: unknown, message?: string): void;
    equal(got: unknown, want: unknown, message?: string): void;
    deepEqual(got: unknown, want: unknown, message?: string): void;
    match(got: string, want: RegExp): void;
  };
  export default assert;
}
