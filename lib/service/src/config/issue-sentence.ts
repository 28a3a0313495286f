import type * as z from 'zod';

/** The rule that a value broke, to follow the name of its key: `must be at least 1`. */
export function issueSentence(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.inclusive === false ? `must be more than ${issue.minimum}` : sized('at least', issue.minimum, issue.origin);
    case 'too_big':
      return issue.inclusive === false ? `must be less than ${issue.maximum}` : sized('at most', issue.maximum, issue.origin);
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return typed(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return issue.message;
  }
}

// What a value must be -> how a person says it
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string: quote it if it looks like something else',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/** A type may bring a message of its own, which says more. */
function typed(issue: z.core.$ZodIssueInvalidType): string {
  return issue.message.startsWith('Invalid input') ? `must be ${typeNames[issue.expected] ?? issue.expected}` : issue.message;
}

function sized(bound: string, limit: number | bigint, origin: string): string {
  if (origin === 'string') return `must have ${bound} ${limit} characters`;
  if (origin === 'array' || origin === 'set' || origin === 'map') return `must have ${bound} ${limit} items`;
  return `must be ${bound} ${limit}`;
}
