/** What is wrong in a scenario, and where. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
