/** Structured logging as the libraries need it: a constant phrase and facts as fields. pino's loggers are adapted in one place. */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
