import { type Clock, type Log, systemClock } from '@quartermaster/kernel';
import { destination, type Logger as Pino, pino } from 'pino';
import { type LineWriter, prettyLines } from './pretty-lines.ts';
import { redactFields } from './redact.ts';
import { withoutCredentials } from './sensitive.ts';
import { activeTrace } from './trace/trace.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

type Fields = Readonly<Record<string, unknown>>;

/** A log that can be narrowed and turned up at run time. */
export interface Logger extends Log {
  /** The same log with these fields on every line. It follows the level of the log it came from. */
  child(fields: Fields): Logger;
  /** Of this log and of all that came from the same root. */
  readonly level: LogLevel;
  setLevel(level: LogLevel): void;
}

export interface LoggerOptions {
  /** The lowest level that is written. Default `info`. */
  readonly level?: LogLevel | undefined;
  /** `json`, one object per line, or `pretty` for a terminal. Default `json`. */
  readonly format?: 'json' | 'pretty' | undefined;
  /** Colours of the pretty format. Default: when standard output is a terminal and NO_COLOR is not set. */
  readonly colour?: boolean | undefined;
  /** Where lines go. Default: standard output, written before the call returns, so that a crash loses none. */
  readonly destination?: LineWriter | undefined;
  readonly clock?: Clock | undefined;
}

/** Names that a line has itself. A field of that name gets an underscore. */
const reserved = new Set(['level', 'time', 'msg', 'trace_id', 'span_id']);

/**
 * A root log. Every line shows the time, the level, a constant message, the fields without any secret (see `redact`), and the ids of
 * the trace it belongs to, if there is one.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const clock = options.clock ?? systemClock;
  const target = options.destination ?? standardOutput();
  const writer = options.format === 'pretty' ? prettyLines(target, { colour: options.colour ?? isColourTerminal() }) : target;
  const root = pino(
    {
      level: 'debug',
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      mixin: traceFields,
    },
    writer,
  );
  return new PinoLogger(root, { level: options.level ?? 'info' });
}

/** The level of all logs of one root: pino's own would be copied into each child when it is made. */
interface SharedLevel {
  level: LogLevel;
}

class PinoLogger implements Logger {
  readonly #pino: Pino;
  readonly #shared: SharedLevel;

  constructor(own: Pino, shared: SharedLevel) {
    this.#pino = own;
    this.#shared = shared;
  }

  get level(): LogLevel {
    return this.#shared.level;
  }

  setLevel(level: LogLevel): void {
    this.#shared.level = level;
  }

  child(fields: Fields): Logger {
    return new PinoLogger(this.#pino.child(lineFields(fields)), this.#shared);
  }

  debug(message: string, fields?: Fields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#write('error', message, fields);
  }

  #write(level: LogLevel, message: string, fields: Fields = {}): void {
    if (logLevels.indexOf(level) < logLevels.indexOf(this.#shared.level)) return;
    // Without a format argument pino would take percent signs of the message for placeholders of nothing, which is what they are.
    this.#pino[level](lineFields(fields), withoutCredentials(message));
  }
}

function lineFields(fields: Fields): Record<string, unknown> {
  const redacted = redactFields(fields);
  const clashes = Object.keys(redacted).some((name) => reserved.has(name));
  if (!clashes) return redacted;
  return Object.fromEntries(Object.entries(redacted).map(([name, value]) => [reserved.has(name) ? `${name}_` : name, value]));
}

function traceFields(): object {
  const trace = activeTrace();
  return trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
}

/** A reader that has gone (`quartermaster … | head`) must not end the process with an unhandled error. */
function standardOutput(): LineWriter {
  const stream = destination({ dest: 1, sync: true });
  stream.on('error', () => {});
  return stream;
}

function isColourTerminal(): boolean {
  return process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
}
