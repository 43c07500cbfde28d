/**
 * The key that the documentation fills into its examples. Only a test key: a person who sees a live one, over a shoulder or on a shared
 * screen, could spend credits with it.
 */
export function exampleKey(key: string | undefined): string | undefined {
  return key?.startsWith('tol_test_') ? key : undefined;
}
