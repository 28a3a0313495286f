/** Messages whose JSON is not an object of their fields -> what it must be. */
export const ownJsonForms: ReadonlyMap<string, string> = new Map([
  ['google.protobuf.Any', 'must be an object with "@type", a type that is known here, and a value of it'],
  ['google.protobuf.BoolValue', 'must be true or false'],
  ['google.protobuf.BytesValue', 'must be a string of base64'],
  ['google.protobuf.DoubleValue', 'must be a number'],
  ['google.protobuf.Duration', 'must be a duration in seconds, such as "1.5s"'],
  ['google.protobuf.FieldMask', 'must be a string of paths in camelCase with commas between them'],
  ['google.protobuf.FloatValue', 'must be a number of single precision'],
  ['google.protobuf.Int32Value', 'must be a whole number of 32 bits'],
  ['google.protobuf.Int64Value', 'must be a whole number of 64 bits'],
  ['google.protobuf.ListValue', 'must be a list'],
  ['google.protobuf.StringValue', 'must be a string of Unicode characters'],
  ['google.protobuf.Struct', 'must be an object'],
  ['google.protobuf.Timestamp', 'must be a time such as "2026-01-31T12:00:00Z"'],
  ['google.protobuf.UInt32Value', 'must be a whole number of 32 bits from 0 on'],
  ['google.protobuf.UInt64Value', 'must be a whole number of 64 bits from 0 on'],
  ['google.protobuf.Value', 'must be JSON'],
]);
