// What the tests use of Node, whose types are no dependency of ours.
declare module "node:test" {
  const test: (name: string, run: () => void | Promise<void>) => void;
  export default test;
}
declare module "node:assert/strict" {
  const assert: {
    equal(got: unknown, want: unknown, message?: string): void;
    deepEqual(got: unknown, want: unknown, message?: string): void;
  };
  export default assert;
}
