/** Requests that no honest client sends, for every method of the service. */
import { type DescMethod, type DescService, toBinary, toJson } from '@bufbuild/protobuf';
import { arbitraryMessage, type ScalarValues } from '@quartermaster/fulfillment/testing';
import { restBindings } from '@quartermaster/rpc';
import fc from 'fast-check';

/** One call over gRPC, as bytes. */
export interface HostileCall {
  readonly method: DescMethod;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** One call over REST. */
export interface HostileRestCall {
  readonly verb: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly isStream: boolean;
}

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

const filters = fc.letrec<{ filter: string }>((tie) => ({
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

const paths = fc.constantFrom(
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
const ids = fc.constantFrom(
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
const strange = fc.oneof(
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
const orders = fc
  .array(
    fc.tuple(
      fields.map((field) => field.replace('this.', '')),
      fc.constantFrom('', ' desc', ' asc', ' DESC', ' x'),
    ),
    { maxLength: 3 },
  )
  .map((terms) => terms.map(([field, direction]) => field + direction).join(','));

/** What fills the fields of a request: everything that means something somewhere, also where it means nothing. */
const values: Partial<ScalarValues> = {
  texts: fc.oneof({ weight: 3, arbitrary: ids }, { weight: 3, arbitrary: filters }, { weight: 2, arbitrary: paths }, orders, strange),
  integers: fc.oneof(fc.integer({ min: -2, max: 9 }), fc.constantFrom(2_147_483_647, -2_147_483_648, 65_536, 1001)),
};

/** Bytes of requests: well-formed ones, some of them with bytes changed, cut off or added, and some that are noise. */
export function hostileCalls(services: readonly DescService[]): fc.Arbitrary<HostileCall> {
  const methods = services.flatMap((service) => service.methods);
  return fc.constantFrom(...methods).chain((method) => {
    const formed = arbitraryMessage(method.input, values).map((message) => toBinary(method.input, message));
    const damaged = fc.tuple(formed, fc.nat(), fc.nat(255), fc.constantFrom('change', 'cut', 'add')).map(([bytes, at, byte, how]) => {
      const index = bytes.length === 0 ? 0 : at % bytes.length;
      if (how === 'cut') return bytes.slice(0, index);
      if (how === 'add') return Uint8Array.of(...bytes.subarray(0, index), byte, ...bytes.subarray(index));
      return bytes.map((each, position) => (position === index ? byte : each));
    });
    const noise = fc.uint8Array({ maxLength: 200 });
    const bytes = fc.oneof({ weight: 6, arbitrary: formed }, { weight: 2, arbitrary: damaged }, { weight: 1, arbitrary: noise });
    const path = `/${method.parent.typeName}/${method.name}`;
    return bytes.map((each) => ({ method, path, bytes: each }));
  });
}

const jsons = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e400,
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

/** The same over REST: bodies with values of the wrong types, broken JSON, queries and path segments that are nothing. */
export function hostileRestCalls(services: readonly DescService[]): fc.Arbitrary<HostileRestCall> {
  const routes = services.flatMap(({ methods }) =>
    methods.flatMap((method) => restBindings(method).map((binding) => ({ method, binding }))),
  );
  const query = fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'filter',
        'order',
        'limit',
        'offset',
        'cursor',
        'skip_total',
        'update_mask',
        'lock',
        'dry_run',
        'version',
        'token',
        'object.id',
      ),
      fc.string({ maxLength: 5 }),
    ),
    fc.oneof(
      filters,
      paths,
      orders,
      strange.filter((text) => text.length < 1000),
      ids,
    ),
    { maxKeys: 3 },
  );
  const segment = fc.oneof({ weight: 4, arbitrary: ids }, { weight: 1, arbitrary: strange.filter((text) => text.length < 400) });
  return fc.constantFrom(...routes).chain(({ method, binding }) => {
    const message = method.input.fields.find(({ name }) => name === binding.body)?.message ?? method.input;
    const object = arbitraryMessage(message, values).map((made) => safeJson(() => toJson(message, made, { useProtoFieldName: true })));
    const wrong = fc.tuple(object, fc.nat(), jsons).map(([json, at, value]) => withValueAt(json, at, value));
    const texts = fc.oneof(
      { weight: 4, arbitrary: object.map((json) => JSON.stringify(json)) },
      { weight: 3, arbitrary: wrong.map((json) => JSON.stringify(json)) },
      { weight: 1, arbitrary: jsons.map((json) => JSON.stringify(json)) },
      { weight: 1, arbitrary: fc.tuple(object, fc.nat()).map(([json, at]) => cut(JSON.stringify(json), at)) },
    );
    return fc.record({ query, segment, body: texts }).map(({ query: parameters, segment: id, body }) => {
      const named = Object.entries(parameters).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
      const path = binding.path.replace(/\{[^}]+\}/g, encoded(id));
      return {
        verb: binding.verb,
        url: named.length === 0 ? path : `${path}?${named.join('&')}`,
        body: binding.verb === 'GET' || binding.verb === 'DELETE' ? undefined : body,
        isStream: method.methodKind === 'server_streaming',
      };
    });
  });
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
const cut = (text: string, at: number): string => text.slice(0, at % (text.length + 1));

/** An Any of an unknown type has no JSON. */
function safeJson(make: () => unknown): unknown {
  try {
    return make();
  } catch {
    return { id: 'a1' };
  }
}

/** The JSON with one of its values, wherever it is, replaced. */
function withValueAt(json: unknown, at: number, value: unknown): unknown {
  if (typeof json !== 'object' || json === null) return value;
  const entries = Object.entries(json);
  const [key, inner] = entries[at % Math.max(1, entries.length)] ?? ['id', ''];
  const isDeeper = typeof inner === 'object' && inner !== null && at % 3 !== 0;
  const replaced = isDeeper ? withValueAt(inner, Math.floor(at / 3), value) : value;
  return Array.isArray(json) ? json.map((each, index) => (String(index) === key ? replaced : each)) : { ...json, [key]: replaced };
}
