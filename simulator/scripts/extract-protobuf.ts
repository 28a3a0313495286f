/**
 * Writes `src/server/request/vectors/protobuf.json`: the numbers, names and types of the fields of the built-in kinds in protobuf, read
 * from the .proto files of the Go modules that the test's control plane is built from. Run it after `npm run kube` has fetched them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { builtInKinds } from '../src/schema/index.ts';

const modules = process.env['GOMODCACHE'] ?? join(homedir(), 'go/pkg/mod');
const { server } = JSON.parse(readFileSync(new URL('../src/schema/vectors/built-in.json', import.meta.url), 'utf8')) as { server: string };
const version = server.replace(/^v1/, 'v0');
const read = (module: string, path: string): string =>
  readFileSync(join(modules, `k8s.io/${module}@${version}`, path, 'generated.proto'), 'utf8');

type Field = readonly [number: number, name: string, type: string];

/** Types are named in full; `[]` is a list and `{}` a map of what follows. */
function messagesOf(proto: string): [string, Field[]][] {
  const name = /^package (\S+);/m.exec(proto)?.[1] ?? '';
  const plain = new Set(['string', 'bool', 'bytes', 'int32', 'int64', 'uint32', 'uint64', 'double']);
  const full = (type: string): string => (plain.has(type) ? type : type.startsWith('.') ? type.slice(1) : `${name}.${type}`);
  return [...proto.matchAll(/^message (\w+) \{([\s\S]*?)^\}/gm)].map(([, message = '', body = '']) => {
    const fields = [...body.matchAll(/^ {2}(?:(optional|repeated) ([\w.]+)|map<string, ([\w.]+)>) (\w+) = (\d+);/gm)];
    return [
      `${name}.${message}`,
      fields.map(([, label, type = '', values, field = '', number]): Field => {
        const kind = values === undefined ? `${label === 'repeated' ? '[]' : ''}${full(type)}` : `{}${full(values)}`;
        return [Number(number), field, kind];
      }),
    ];
  });
}

const folders = [
  ...new Set(builtInKinds().map(({ group, version: each }) => `${group === '' ? 'core' : (group.split('.')[0] ?? '')}/${each}`)),
];
const texts = [
  ...folders.filter((folder) => !folder.startsWith('apiextensions')).map((folder) => read('api', folder)),
  read('apiextensions-apiserver', 'pkg/apis/apiextensions/v1'),
  ...['pkg/apis/meta/v1', 'pkg/runtime', 'pkg/util/intstr', 'pkg/api/resource'].map((path) => read('apimachinery', path)),
];
const all = new Map(texts.flatMap(messagesOf));

const roots = builtInKinds().map(({ group, version: each, kind }) => {
  const first = group.split('.')[0] ?? '';
  if (first === 'apiextensions') return `k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.${each}.${kind}`;
  return `k8s.io.api.${first === '' ? 'core' : first}.${each}.${kind}`;
});
const wanted = [...roots, 'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions', 'k8s.io.apimachinery.pkg.runtime.Unknown'];
const result = new Map<string, Field[]>(); // message -> fields
for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
  const fields = all.get(name);
  if (fields === undefined || result.has(name)) continue;
  result.set(name, fields);
  wanted.push(...fields.map(([, , type]) => type.replace(/^(\[\]|\{\})/, '')));
}
const sorted = Object.fromEntries([...result].sort(([a], [b]) => (a < b ? -1 : 1)));
const file = new URL('../src/server/request/vectors/protobuf.json', import.meta.url);
writeFileSync(
  file,
  `{\n${Object.entries(sorted)
    .map(([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`)
    .join(',\n')}\n}\n`,
);
