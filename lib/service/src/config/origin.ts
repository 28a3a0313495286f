/** Where a value of the configuration was written. */
export type Origin =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'flag'; readonly flag: string };

/** One thing that is wrong with the configuration. Holds no value, so that it can be shown even when the value is secret. */
export interface ConfigProblem {
  /** `tls.cert-file`; absent when the whole file is meant. */
  readonly key?: string | undefined;
  readonly origin: Origin;
  /** The rule that was broken and the way out. */
  readonly message: string;
}

/** `inventory.yaml:12:3`, `QUARTERMASTER_LOG_LEVEL`, `--log-level` or `default`. */
function formatOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'default':
      return 'default';
    case 'file':
      return `${origin.file}:${origin.line}:${origin.column}`;
    case 'environment':
      return origin.variable;
    case 'flag':
      return origin.flag;
  }
}

export function formatProblem(problem: ConfigProblem): string {
  const where = problem.origin.kind === 'default' ? '' : ` (${formatOrigin(problem.origin)})`;
  return problem.key === undefined ? `${formatOrigin(problem.origin)}: ${problem.message}` : `${problem.key}${where}: ${problem.message}`;
}
