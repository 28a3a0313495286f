import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isYesOrNo, parameterOf, parameterText, parameterTypes, parameterTypeWords } from './parameter-value.ts';

const type = (name: string): string => `type.googleapis.com/google.protobuf.${name}`;

describe('values of parameters', () => {
  it('sends what was typed in the form that the type has in JSON', () => {
    const value = (name: string, text: string): unknown => parameterOf(type(name), text).value;
    expect(value('StringValue', '12')).toBe('12');
    expect(value('Int32Value', '12')).toBe(12);
    expect(value('Int64Value', '9007199254740993')).toBe('9007199254740993');
    expect(value('DoubleValue', '1.5')).toBe(1.5);
    expect(value('BoolValue', 'true')).toBe(true);
    expect(value('BoolValue', 'false')).toBe(false);
    expect(value('Struct', '{"a":[1]}')).toEqual({ a: [1] });
    expect(value('Duration', '90s')).toBe('90s');
  });

  it('leaves what does not fit for the API to refuse', () => {
    expect(parameterOf(type('Int32Value'), 'twelve').value).toBe('twelve');
    expect(parameterOf(type('Int32Value'), '').value).toBe('');
    expect(parameterOf(type('BoolValue'), 'maybe').value).toBe('maybe');
    expect(parameterOf(type('Struct'), '{"a"').value).toBe('{"a"');
  });

  it('shows a value as it can be typed again, whatever the type', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(parameterTypes)), fc.string(), (url, text) => {
        const value = parameterOf(url, text);
        expect(parameterOf(url, parameterText(value))).toEqual(value);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const value = { '@type': type('Value'), value: json };
        expect(parameterOf(type('Value'), parameterText(value)).value).toEqual(JSON.parse(JSON.stringify(json)));
      }),
    );
  });

  it('has words for every type, and none made up', () => {
    expect(Object.keys(parameterTypes)).toHaveLength(14);
    expect(parameterTypeWords(type('StringValue'))).toBe('text');
    expect(parameterTypeWords('example.com/x.Y')).toBe('example.com/x.Y');
    expect(isYesOrNo(type('BoolValue'))).toBe(true);
    expect(isYesOrNo(type('StringValue'))).toBe(false);
    expect(parameterText(undefined)).toBe('');
  });
});
