import { codeOf, messageOf, type StatusCode, StatusError } from '@quartermaster/kernel';
import { withoutCredentials } from './sensitive.ts';

/** An error as a log line has it. */
export interface ErrorFields {
  readonly code: StatusCode;
  /** The message with those of its causes. */
  readonly message: string;
  /** The class, where it is not the one of expected failures. */
  readonly name?: string | undefined;
  /** Of bugs only: an expected failure is explained by its message. */
  readonly stack?: string | undefined;
  readonly details?: unknown;
  /** The parts of an AggregateError. */
  readonly errors?: readonly ErrorFields[] | undefined;
}

/** At most so many parts of an AggregateError are told. */
const maxParts = 10;

export function errorFields(error: Error): ErrorFields {
  const isExpected = error instanceof StatusError;
  const isBug = codeOf(error) === 'internal' && error.name !== 'AbortError';
  return {
    code: codeOf(error),
    message: withoutCredentials(messageOf(error)),
    name: isExpected ? undefined : error.name,
    stack: isBug ? withoutCredentials(stackWithCauses(error)) : undefined,
    details: isExpected ? error.details : undefined,
    errors: error instanceof AggregateError ? partsOf(error) : undefined,
  };
}

function partsOf(error: AggregateError): ErrorFields[] {
  return error.errors.slice(0, maxParts).map((part: unknown) => errorFields(part instanceof Error ? part : new Error(String(part))));
}

/** Where a bug began is in the innermost cause, which is often the only useful stack. */
function stackWithCauses(error: Error): string {
  const stacks: string[] = [];
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1) {
    stacks.push(each.stack ?? `${each.name}: ${each.message}`);
  }
  return stacks.join('\ncaused by ');
}
