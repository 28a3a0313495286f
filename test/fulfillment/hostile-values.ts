/** Texts and values that requests can be made of, and most of which mean nothing where they stand. */
import type { ScalarValues } from '@quartermaster/fulfillment/testing';
import fc from 'fast-check';

const literals = fc.oneof(
  fc.constantFrom(
    '""',
    '"a1"',
    "'b1'",
    '0',
    '-1',
    '9223372036854775807',
    '9223372036854775808',
    '1.5',
    'true',
    'null',
    '[]',
    '["a1", "b1"]',
    'now',
  ),
  fc.constantFrom('"\\u0000"', '"\\ud800"', 'b"x"', 'timestamp("x")', 'duration("1s")', 'HOST_STATE_READY', '{}', 'r"("', '1u'),
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => JSON.stringify(text)),
);
const fields = fc.constantFrom(
  ...[
    'this',
    'this.id',
    'this.metadata',
    'this.metadata.name',
    'this.metadata.tenants',
    'this.metadata.labels',
    'this.metadata.labels["k"]',
  ],
  ...['this.metadata.version', 'this.metadata.creation_timestamp', 'this.metadata.deletion_timestamp', 'this.spec', 'this.spec.node_sets'],
  ...['this.spec.node_sets.w.size', 'this.spec.template_parameters', 'this.status.conditions', 'this.status.state', 'this.status.hub'],
  ...['this.spec.bmc.password', 'this.spec.nics', 'this.nothing', 'event', 'event.type', 'event.cluster', 'event.cluster.id', 'event.host'],
  ...['tenants', 'data', 'id', 'now', 'actor', 'this.at', 'this.changes', 'this.spec.nics[0].mac', 'this.status.conditions[0].type'],
);
const operators = fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in', '+', '-', '*', '/', '%', '&&', '||');

export const filters = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    fields,
    literals,
    fc.tuple(tie('filter'), operators, tie('filter')).map(([left, operator, right]) => `${left} ${operator} ${right}`),
    fc.tuple(tie('filter')).map(([inner]) => `(${inner})`),
    fc.tuple(tie('filter')).map(([inner]) => `!${inner}`),
    fc
      .tuple(fc.constantFrom('has', 'size', 'string', 'int', 'all', 'timestamp'), tie('filter'))
      .map(([name, inner]) => `${name}(${inner})`),
    fc
      .tuple(fields, fc.constantFrom('startsWith', 'contains', 'matches', 'exists', 'all', 'size', 'getFullYear', 'map'), literals)
      .map(([field, name, literal]) => `${field}.${name}(${literal})`),
    fc.tuple(tie('filter'), tie('filter'), tie('filter')).map(([one, two, three]) => `${one} ? ${two} : ${three}`),
  ),
})).filter;

export const paths = fc.constantFrom(
  ...[
    'id',
    'metadata',
    'metadata.name',
    'metadata.labels',
    'metadata.labels.k',
    'metadata.labels.`a.b/c`',
    'metadata.tenants',
    'metadata.version',
  ],
  ...[
    'metadata.finalizers',
    'spec',
    'spec.node_sets',
    'spec.node_sets.w',
    'spec.node_sets.w.size',
    'spec.template',
    'spec.bmc',
    'spec.bmc.password',
  ],
  ...[
    'status',
    'status.hub',
    'status.conditions',
    'status.conditions.0',
    'status.conditions.4294967296',
    'spec.nics.0.mac',
    'spec.nics.-1',
  ],
  ...[
    '*',
    'spec.*',
    '',
    '.',
    '..',
    'spec.',
    '.spec',
    '`',
    'spec.`',
    '__proto__',
    'constructor',
    'spec.node_sets.__proto__',
    'kubeconfig',
    'title',
  ],
);
export const ids = fc.constantFrom(
  'a1',
  'a2',
  'b1',
  'b2',
  'c',
  't',
  'h-a',
  'h-b',
  'hub',
  'pool',
  'nobody',
  '',
  '.',
  '..',
  'a/b',
  'acme',
  'globex',
  'shared',
  'k',
);
export const strange = fc.oneof(
  fc.constantFrom(
    '\u0000',
    'x\u0000y',
    '\ufeff',
    '\u202e',
    '\ud83d\ude00',
    'e\u0301',
    '<script>',
    "'; drop table hosts; --",
    '\\',
    '%',
    '_',
    '${x}',
    '\r\n',
  ),
  fc.constantFrom(
    '9'.repeat(40),
    'x'.repeat(300),
    'x'.repeat(70_000),
    '[['.repeat(2000),
    '('.repeat(500),
    '!'.repeat(3000),
    'a.'.repeat(1000),
  ),
  fc.constantFrom(
    'type.googleapis.com/google.protobuf.StringValue',
    'type.googleapis.com/private.v1.Host',
    'https://x',
    '10.0.0.1',
    '00:00:5e:00:53:01',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
);
export const orders = fc
  .array(
    fc.tuple(
      fields.map((field) => field.replace('this.', '')),
      fc.constantFrom('', ' desc', ' asc', ' DESC', ' x'),
    ),
    { maxLength: 3 },
  )
  .map((terms) => terms.map(([field, direction]) => field + direction).join(','));

/** What fills the fields of a request: everything that means something somewhere, also where it means nothing. */
export const values: Partial<ScalarValues> = {
  texts: fc.oneof({ weight: 3, arbitrary: ids }, { weight: 3, arbitrary: filters }, { weight: 2, arbitrary: paths }, orders, strange),
  integers: fc.oneof(fc.integer({ min: -2, max: 9 }), fc.constantFrom(2_147_483_647, -2_147_483_648, 65_536, 1001)),
};

export const jsons = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    Number.MAX_VALUE,
    1.5,
    2 ** 53,
    '',
    '\ud800',
    'a\u0000b',
    [],
    {},
    [[]],
    { '@type': 'x' },
    { __proto__: 1 },
    'NaN',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
