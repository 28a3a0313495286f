import { describe, expect, it } from 'vitest';
import { fieldViolationsOf, invalidFields } from './field-violation.ts';
import { StatusError } from './status-error.ts';

const violations = [
  { field: 'spec.class', description: 'there is no host class "x"' },
  { field: 'metadata.name', description: 'it must be at most 63 characters long' },
];

describe('invalidFields', () => {
  it('refuses the input with a text and details that name every field', () => {
    const error = invalidFields(violations);
    expect(error).toMatchObject({ code: 'invalid_argument', details: { fieldViolations: violations } });
    expect(error.message).toBe(
      'field "spec.class": there is no host class "x"; field "metadata.name": it must be at most 63 characters long',
    );
  });

  it('is read back from the error, and from the details after JSON', () => {
    expect(fieldViolationsOf(invalidFields(violations))).toEqual(violations);
    const details: unknown = JSON.parse(JSON.stringify(invalidFields(violations).details));
    expect(fieldViolationsOf(new StatusError('invalid_argument', '', { details }))).toEqual(violations);
  });

  it.each([
    undefined,
    null,
    'text',
    {},
    { fieldViolations: 'x' },
    { fieldViolations: [null, 'x', { field: 1, description: 'x' }, { field: 'x' }] },
  ])('names no field for details %j', (details) => {
    expect(fieldViolationsOf(new StatusError('invalid_argument', '', { details }))).toEqual([]);
  });

  it('names no field for what is no StatusError', () => {
    expect(fieldViolationsOf(new Error('bug'))).toEqual([]);
    expect(fieldViolationsOf(undefined)).toEqual([]);
  });
});
