import { type Environment, Optional } from '@marcbachmann/cel-js';
import { hasFormat } from './formats.ts';

type Validate = (text: string) => readonly string[];

/** A named format: what is wrong with a text. */
class NamedFormat {
  readonly validate: Validate;

  constructor(validate: Validate) {
    this.validate = validate;
  }
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

type NameRule = readonly [pattern: string, longest: number, rule: string, examples: string];

const ends = 'and must start and end with an alphanumeric character';
const ofLabels = "alphanumeric characters, '-', '_' or '.',";
const dns1123Label: NameRule = [
  label,
  63,
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ends}`,
  "'my-name',  or '123-abc'",
];
const dns1123Subdomain: NameRule = [
  `${label}(\\.${label})*`,
  253,
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ends}`,
  "'example.com'",
];
const dns1035Label: NameRule = [
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  63,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  "'my-name',  or 'abc-123'",
];
const valueRule = `a valid label must be an empty string or consist of ${ofLabels} ${ends}`;
const labelValue: NameRule = [`(${qualified})?`, 63, valueRule, "'MyValue',  or 'my_value',  or '12345'"];
const keyName: NameRule = [qualified, 63, `must consist of ${ofLabels} ${ends}`, "'MyName',  or 'my.name',  or '123-abc'"];

const named =
  ([pattern, longest, rule, examples]: NameRule): Validate =>
  (text) => [
    ...(Buffer.byteLength(text) > longest ? [`must be no more than ${longest} bytes`] : []),
    ...(new RegExp(`^${pattern}$`).test(text) ? [] : [`${rule} (e.g. ${examples}, regex used for validation is '${pattern}')`]),
  ];

/** A prefix of a generated name may end with a dash. */
const prefix =
  (rule: NameRule): Validate =>
  (text) =>
    named(rule)(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);

const qualifiedName: Validate = (text) => {
  const [name = '', domain, ...more] = text.split('/').reverse();
  const [whole = ''] = named(keyName)('');
  if (more.length > 0) return [`a valid label key ${whole} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const ofDomain = domain === '' ? ['must be non-empty'] : domain === undefined ? [] : named(dns1123Subdomain)(domain);
  const ofName = [...(name === '' ? ['must be non-empty'] : []), ...named(keyName)(name)];
  return [...ofDomain.map((each) => `prefix part ${each}`), ...ofName.map((each) => `name part ${each}`)];
};

const openApi =
  (format: string, problem: string): Validate =>
  (text) =>
    hasFormat(format, text) ? [] : [problem];

const formats: Readonly<Record<string, NamedFormat>> = Object.fromEntries(
  Object.entries({
    dns1123Label: named(dns1123Label),
    dns1123Subdomain: named(dns1123Subdomain),
    dns1035Label: named(dns1035Label),
    qualifiedName,
    dns1123LabelPrefix: prefix(dns1123Label),
    dns1123SubdomainPrefix: prefix(dns1123Subdomain),
    dns1035LabelPrefix: prefix(dns1035Label),
    labelValue: named(labelValue),
    uri: openApi('uri', 'invalid URI for request'),
    uuid: openApi('uuid', 'does not match the UUID format'),
    byte: openApi('byte', 'invalid base64'),
    date: openApi('date', 'invalid date'),
    datetime: openApi('datetime', 'invalid datetime'),
  }).map(([name, validate]) => [name, new NamedFormat(validate)]),
);

/** What the name `format` stands for. */
class FormatFunctions {
  named(name: string): Optional {
    return Object.hasOwn(formats, name) ? Optional.of(formats[name]) : Optional.none();
  }
}

/** `format.NAME()`, `format.named(NAME)` and their `validate`. */
export function addNamedFormats(environment: Environment): Environment {
  environment
    .registerType('kubernetes.NamedFormat', { ctor: NamedFormat, fields: {} })
    .registerType('FormatFunctions', { ctor: FormatFunctions, fields: {} })
    .registerConstant('format', 'FormatFunctions', new FormatFunctions())
    .registerFunction('FormatFunctions.named(string): optional<kubernetes.NamedFormat>', (functions: FormatFunctions, name: string) =>
      functions.named(name),
    )
    .registerFunction('kubernetes.NamedFormat.validate(string): optional<list<string>>', ({ validate }: NamedFormat, text: string) => {
      const found = validate(text);
      return found.length === 0 ? Optional.none() : Optional.of(found);
    });
  for (const [name, format] of Object.entries(formats)) {
    environment.registerFunction(`FormatFunctions.${name}(): kubernetes.NamedFormat`, () => format);
  }
  return environment;
}
