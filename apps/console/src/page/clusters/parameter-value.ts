/** A value of any type, as JSON has a google.protobuf.Any. */
export interface ParameterValue {
  readonly '@type': string;
  readonly value?: unknown;
}

const prefix = 'type.googleapis.com/google.protobuf.';

// last part of the type -> in words
const typeWords: Readonly<Record<string, string>> = {
  StringValue: 'text',
  BoolValue: 'yes or no',
  Int32Value: 'whole number',
  Int64Value: 'whole number',
  UInt32Value: 'whole number, not negative',
  UInt64Value: 'whole number, not negative',
  DoubleValue: 'number',
  FloatValue: 'number',
  Duration: 'duration, such as 90s',
  Timestamp: 'moment, such as 2026-01-31T08:00:00Z',
  BytesValue: 'bytes, in base64',
  Struct: 'JSON object',
  ListValue: 'JSON list',
  Value: 'JSON',
};

/** The types that a parameter can have: type URL -> words. */
export const parameterTypes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(typeWords).map(([name, words]) => [
    `${prefix}${name}`,
    name === 'Int64Value' || name === 'UInt64Value' || name === 'FloatValue' ? `${words} (${name})` : words,
  ]),
);

const lastPart = (type: string): string => type.slice(type.lastIndexOf('.') + 1);

/** What a type takes, in words; a type that is not known by its own name. */
export const parameterTypeWords = (type: string): string => typeWords[lastPart(type)] ?? type;

export const isYesOrNo = (type: string): boolean => lastPart(type) === 'BoolValue';

/**
 * What somebody typed, as a value of the type. What does not fit is sent as it was typed: the API says what is wrong with it, beside
 * the field.
 */
export function parameterOf(type: string, text: string): ParameterValue {
  return { '@type': type, value: valueOf(lastPart(type), text) };
}

function valueOf(type: string, text: string): unknown {
  switch (type) {
    case 'BoolValue':
      return text === 'true' || (text === 'false' ? false : text);
    case 'Int32Value':
    case 'UInt32Value':
    case 'DoubleValue':
    case 'FloatValue': {
      const number = Number(text);
      return text.trim() === '' || !Number.isFinite(number) ? text : number;
    }
    case 'Struct':
    case 'ListValue':
    case 'Value':
      return jsonOr(text);
    default:
      return text;
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A value as somebody would type it. */
export function parameterText(value: ParameterValue | undefined): string {
  const inner = value?.value;
  if (inner === undefined) return '';
  if (typeof inner !== 'string' || lastPart(value?.['@type'] ?? '') === 'Value') return JSON.stringify(inner);
  return inner;
}
