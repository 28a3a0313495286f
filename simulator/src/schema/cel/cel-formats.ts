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
const subdomain = `${label}(\\.${label})*`;
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** What is wrong with a name: its length, or its characters by the rule. */
const named =
  (pattern: string, maxLength: number, rule: string): Validate =>
  (text) => [
    ...(Buffer.byteLength(text) > maxLength ? [`must be no more than ${maxLength} bytes`] : []),
    ...(new RegExp(`^${pattern}$`).test(text) ? [] : [`${rule} (regex used for validation is '${pattern}')`]),
  ];

const dns1123Label = named(label, 63, "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'");
const dns1123Subdomain = named(
  subdomain,
  253,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
);
const dns1035Label = named(dns1035, 63, "a DNS-1035 label must consist of lower case alphanumeric characters or '-'");
const labelValue = named(
  `(${qualified})?`,
  63,
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'",
);
const keyName = named(qualified, 63, "must consist of alphanumeric characters, '-', '_' or '.'");

/** A prefix of a generated name may end with a dash. */
const prefix =
  (validate: Validate): Validate =>
  (text) =>
    validate(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);

const qualifiedName: Validate = (text) => {
  const [name = '', domain, ...more] = text.split('/').reverse();
  if (more.length > 0) return ["a valid label key must consist of a name with an optional DNS subdomain prefix and '/'"];
  const ofDomain = domain === undefined ? [] : dns1123Subdomain(domain);
  return [...ofDomain.map((each) => `prefix part ${each}`), ...keyName(name).map((each) => `name part ${each}`)];
};

const openApi =
  (format: string, problem: string): Validate =>
  (text) =>
    hasFormat(format, text) ? [] : [problem];

const formats: Readonly<Record<string, NamedFormat>> = Object.fromEntries(
  Object.entries({
    dns1123Label,
    dns1123Subdomain,
    dns1035Label,
    qualifiedName,
    dns1123LabelPrefix: prefix(dns1123Label),
    dns1123SubdomainPrefix: prefix(dns1123Subdomain),
    dns1035LabelPrefix: prefix(dns1035Label),
    labelValue,
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
