import type { Random } from '@quartermaster/kernel';

export interface MalformedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What is wrong with it, for the message of a failing test. */
  readonly why: string;
}

type Make = (random: Random) => MalformedRequest;

const pick = <T>(random: Random, choices: readonly [T, ...T[]]): T => choices[Math.floor(random.next() * choices.length)] ?? choices[0];

const json = { 'content-type': 'application/json' };
const maps = '/api/v1/namespaces/default/configmaps';
const existing = `${maps}/there`;

/** Text that is no word of any grammar here. */
function noise(random: Random): string {
  const letters = [
    '%',
    '&',
    '"',
    '{',
    '[',
    '\\',
    '=',
    ',',
    '(',
    ')',
    '!',
    '<',
    'a',
    'Z',
    '9',
    '-',
    '.',
    '/',
    '\u00e9',
    '\u2028',
    '\0',
  ] as const;
  return Array.from({ length: 1 + Math.floor(random.next() * 12) }, () => pick(random, letters)).join('');
}

const unknownPath: Make = (random) => ({
  method: pick(random, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: pick(random, [
    '/nowhere',
    '/api/v2/pods',
    '/api/v1/gadgets',
    '/apis/none.example/v1/things',
    '/apis/apps/v9/deployments',
    '/api/v1/pods/a/b/c/d',
    '/api/v1/namespaces/default/nodes/x',
    `${existing}/scale`,
    `${existing}/${encodeURIComponent(noise(random))}x`,
    '/api/v1/namespaces/default/pods/%zz',
    '/api/v1/%ff%fe',
    '/simulator/faults/1/2',
    '/openapi/v9',
  ]),
  headers: json,
  body: '{}',
  why: 'a path that names nothing',
});

const wrongMethod: Make = (random) => ({
  method: pick(random, ['PUT', 'PATCH', 'OPTIONS', 'PROPFIND']),
  path: maps,
  headers: { 'content-type': 'application/merge-patch+json' },
  body: '{}',
  why: 'a method that the path does not take',
});

const brokenBody: Make = (random) => ({
  method: pick(random, ['POST', 'PUT']),
  path: maps,
  headers: json,
  body: pick(random, [
    '',
    '{',
    '[]',
    'null',
    '7',
    '"text"',
    '{"metadata":',
    `{"metadata":{"name":${noise(random)}}`,
    '['.repeat(5000),
    `${'{"a":'.repeat(400)}1${'}'.repeat(400)}`,
  ]),
  why: 'a body that is no object',
});

const wrongFields: Make = (random) => ({
  method: 'POST',
  path: maps,
  headers: json,
  body: JSON.stringify(
    pick<object>(random, [
      { kind: 'Secret', metadata: { name: 'x' } },
      { apiVersion: 'apps/v1', metadata: { name: 'x' } },
      { apiVersion: 7, metadata: { name: 'x' } },
      { metadata: 'x' },
      { metadata: [] },
      { metadata: { name: 7 } },
      { metadata: { name: noise(random) } },
      { metadata: { name: 'x', namespace: 'other' } },
      { metadata: { name: 'x', labels: { a: `${noise(random)}!` } } },
      { metadata: { name: 'x', labels: [] } },
      { metadata: { name: 'x', finalizers: 'mine' } },
      { metadata: { name: 'x', finalizers: [7] } },
      { metadata: { name: 'x', ownerReferences: [{}] } },
      { metadata: { name: 'x', resourceVersion: '1' } },
      { metadata: {} },
      { metadata: { name: 'x' }, data: [] },
      { metadata: { name: 'x' }, data: { a: 1 } },
      { metadata: { name: 'x' }, data: { a: {} } },
      { metadata: { name: 'x' }, immutable: 'yes' },
      { metadata: { name: 'x' }, binaryData: { a: '***' } },
    ]),
  ),
  why: 'an object with a field of the wrong form',
});

const brokenPatch: Make = (random) => {
  const [type, body] = pick<readonly [string, string]>(random, [
    ['json-patch', '{}'],
    ['json-patch', '[{}]'],
    ['json-patch', '[7]'],
    ['json-patch', '[null]'],
    ['json-patch', '[{"op":"fly","path":"/data"}]'],
    ['json-patch', '[{"op":"remove","path":"/nothing"}]'],
    ['json-patch', '[{"op":"replace","path":"data","value":{}}]'],
    ['json-patch', '[{"op":"test","path":"/data/a","value":"other"}]'],
    ['json-patch', '[{"op":"move","from":"/nothing","path":"/data/b"}]'],
    ['json-patch', '[{"op":"replace","path":"","value":[]}]'],
    ['json-patch', '[{"op":"add","path":"/data","value":7}]'],
    ['merge-patch', '[]'],
    ['merge-patch', '"x"'],
    ['merge-patch', 'null'],
    ['merge-patch', '{"data":7}'],
    ['merge-patch', '{"metadata":{"uid":"other"}}'],
    ['merge-patch', '{"metadata":{"name":"other"}}'],
    ['merge-patch', '{"kind":"Secret"}'],
    ['merge-patch', '{"metadata":7}'],
    ['merge-patch', '{"metadata":{"labels":{"a b":"c"}}}'],
    ['strategic-merge-patch', '[]'],
    ['strategic-merge-patch', '{"data":"x"}'],
    ['merge-patch', `{"data":${noise(random)}`],
  ]);
  return { method: 'PATCH', path: existing, headers: { 'content-type': `application/${type}+json` }, body, why: `a broken ${type}` };
};

const brokenApply: Make = (random) => ({
  method: 'PATCH',
  path: `${existing}${pick(random, ['', '?fieldManager=', '?fieldManager=x&force=maybe'])}`,
  headers: { 'content-type': 'application/apply-patch+yaml' },
  body: pick(random, ['[', '- a', 'a: b: c', '"x"', 'metadata: [', '{"kind":"Secret","apiVersion":"v1"}', '\tx: 1', 'data: 7']),
  why: 'an apply that cannot be understood',
});

const badSelector: Make = (random) => {
  const query = pick(random, [
    `labelSelector=${encodeURIComponent(pick(random, ['a in b', 'a=b=c', '!', 'a in (b', 'a,,b', '-=x', 'a>b', 'a b', 'in (x)', 'a notin', '=', '!a=b']))}`,
    `fieldSelector=${encodeURIComponent(pick(random, ['data.a=1', 'metadata.name', 'x', 'spec.nodeName=a', 'metadata.name<3', '=']))}`,
    `limit=${encodeURIComponent(pick(random, ['x', '-1', '1.5', '1e3']))}`,
    `continue=${encodeURIComponent(pick(random, ['x', 'e30', '!!', 'bnVsbA']))}`,
    `resourceVersion=${encodeURIComponent(pick(random, ['x', '-1', '1.0', '0x1']))}`,
    `resourceVersionMatch=${pick(random, ['Exact', 'NotOlderThan', 'Sometimes'])}`,
    'resourceVersion=0&resourceVersionMatch=Exact',
    'watch=1&sendInitialEvents=true',
    'watch=1&timeoutSeconds=soon',
    'watch=1&resourceVersion=1&resourceVersionMatch=NotOlderThan',
  ]);
  return { method: 'GET', path: `${maps}?${query}`, headers: {}, why: `a list with ${query}` };
};

const badOptions: Make = (random) =>
  pick<MalformedRequest>(random, [
    { method: 'POST', path: `${maps}?dryRun=Some`, headers: json, body: '{"metadata":{"name":"x"}}', why: 'an unknown dryRun' },
    {
      method: 'POST',
      path: `${maps}?fieldValidation=Loose`,
      headers: json,
      body: '{"metadata":{"name":"x"}}',
      why: 'an unknown fieldValidation',
    },
    {
      method: 'POST',
      path: `${maps}?fieldManager=${'m'.repeat(200)}`,
      headers: json,
      body: '{"metadata":{"name":"x"}}',
      why: 'a long manager',
    },
    { method: 'DELETE', path: existing, headers: json, body: '{"propagationPolicy":"Sideways"}', why: 'an unknown propagation' },
    { method: 'DELETE', path: existing, headers: json, body: '{"preconditions":{"uid":"other"}}', why: 'the uid of another' },
    { method: 'DELETE', path: existing, headers: json, body: '{"preconditions":7}', why: 'preconditions that are none' },
    { method: 'DELETE', path: existing, headers: json, body: '{"gracePeriodSeconds":"x"}', why: 'a grace period that is no number' },
    { method: 'DELETE', path: existing, headers: json, body: '{"dryRun":["Half"]}', why: 'an unknown dryRun in the body' },
    { method: 'DELETE', path: existing, headers: json, body: '[', why: 'delete options that are no JSON' },
    { method: 'POST', path: '/simulator/faults', headers: json, body: '{"kind":"gremlins"}', why: 'an unknown fault' },
    { method: 'POST', path: '/simulator/faults', headers: json, body: '{"kind":"error","code":200}', why: 'a fault that is no error' },
  ]);

const badMedia: Make = (random) =>
  pick<MalformedRequest>(random, [
    { method: 'POST', path: maps, headers: { 'content-type': 'text/plain' }, body: '{}', why: 'a text as a body' },
    {
      method: 'POST',
      path: maps,
      headers: { 'content-type': noise(random).replaceAll(/[^a-z]/g, 'x') },
      body: '{}',
      why: 'a made-up type',
    },
    { method: 'PATCH', path: existing, headers: json, body: '{}', why: 'a patch without a patch type' },
    { method: 'GET', path: maps, headers: { accept: 'text/html' }, why: 'HTML wanted' },
    { method: 'GET', path: existing, headers: { accept: 'application/vnd.kubernetes.protobuf' }, why: 'only protobuf wanted' },
    { method: 'GET', path: maps, headers: { accept: 'application/json;as=Chart;g=meta.k8s.io;v=v1' }, why: 'an unknown form wanted' },
  ]);

const badSubresource: Make = (random) =>
  pick<MalformedRequest>(random, [
    {
      method: 'POST',
      path: '/api/v1/namespaces/default/pods/none/binding',
      headers: json,
      body: '{"target":{"name":"n"}}',
      why: 'a pod that is not there',
    },
    { method: 'POST', path: '/api/v1/namespaces/default/pods/web/binding', headers: json, body: '{}', why: 'a binding to nothing' },
    { method: 'POST', path: '/api/v1/namespaces/default/pods/web/eviction', headers: json, body: '[]', why: 'an eviction that is none' },
    { method: 'GET', path: '/api/v1/namespaces/default/pods/web/exec?command=ls', headers: {}, why: 'exec without an upgrade' },
    { method: 'GET', path: '/api/v1/namespaces/default/pods/web/log?container=none', headers: {}, why: 'a container that is not there' },
    {
      method: 'PUT',
      path: '/api/v1/namespaces/default/pods/web/status',
      headers: json,
      body: '{"status":7}',
      why: 'a status that is none',
    },
    {
      method: 'POST',
      path: '/api/v1/namespaces/default/serviceaccounts/default/token',
      headers: json,
      body: '{"spec":{"expirationSeconds":1}}',
      why: 'a token for a second',
    },
    { method: 'GET', path: '/apis/apps/v1/namespaces/default/deployments/none/scale', headers: {}, why: 'the scale of nothing' },
    { method: 'DELETE', path: '/api/v1/namespaces/default/pods/web/status', headers: {}, why: 'a status deleted' },
  ]);

const makers: readonly [Make, ...Make[]] = [
  unknownPath,
  wrongMethod,
  brokenBody,
  wrongFields,
  brokenPatch,
  brokenApply,
  badSelector,
  badOptions,
  badMedia,
  badSubresource,
];

/** Requests that are wrong in one way each. The same seed gives the same requests. */
export function malformedRequests(random: Random, count: number): MalformedRequest[] {
  return Array.from({ length: count }, () => pick(random, makers)(random));
}
