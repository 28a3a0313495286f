/** Messages whose JSON is not an object of their fields -> what it must be. */
export const ownJsonForms: ReadonlyMap<string, string> = new Map([
  ['google.protobuf.Any', 'it must be an object with "@type", a type that is known here, and a value of it'],
  ['google.protobuf.BoolValue', 'it must be true or false'],
  ['google.protobuf.BytesValue', 'it must be a string of base64'],
  ['google.protobuf.DoubleValue', 'it must be a number'],
  ['google.protobuf.Duration', 'it must be a duration in seconds, such as "1.5s"'],
  ['google.protobuf.FieldMask', 'it must be a string of paths in camelCase with commas between them'],
  ['google.protobuf.FloatValue', 'it must be a number of single precision'],
  ['google.protobuf.Int32Value', 'it must be a whole number of 32 bits'],
  ['google.protobuf.Int64Value', 'it must be a whole number of 64 bits'],
  ['google.protobuf.ListValue', 'it must be a list'],
  ['google.protobuf.StringValue', 'it must be a string of Unicode characters'],
  ['google.protobuf.Struct', 'it must be an object'],
  ['google.protobuf.Timestamp', 'it must be a time such as "2026-01-31T12:00:00Z"'],
  ['google.protobuf.UInt32Value', 'it must be a whole number of 32 bits from 0 on'],
  ['google.protobuf.UInt64Value', 'it must be a whole number of 64 bits from 0 on'],
  ['google.protobuf.Value', 'it must be JSON'],
]);
