import type { NetworkPolicy, NetworkPolicyIngressRule } from '@quartermaster/kube/shapes';
import { expect, it } from 'vitest';
import { isAdmitted, type NetworkPod } from './network-policy.ts';

const namespaces = new Map([
  ['shop', { team: 'shop' }],
  ['bank', { team: 'bank' }],
]);
const pod = (namespace: string, app: string, address = '10.0.0.9'): NetworkPod => ({
  namespace,
  labels: { app },
  address,
  ports: { web: 80 },
});
const policy = (ingress: readonly NetworkPolicyIngressRule[], podSelector = {}): NetworkPolicy => ({
  metadata: { namespace: 'shop', name: 'p' },
  spec: { podSelector, policyTypes: ['Ingress'], ingress },
});
const reaches = (policies: readonly NetworkPolicy[], from: NetworkPod, port = 80): boolean =>
  isAdmitted({ policies, namespaces }, { from, to: pod('shop', 'web'), port });

const near = pod('shop', 'front');
const far = pod('bank', 'front');

it.each<readonly [string, readonly NetworkPolicy[], readonly [near: boolean, far: boolean]]>([
  ['no policy', [], [true, true]],
  ['one of other pods', [policy([], { matchLabels: { app: 'db' } })], [true, true]],
  ['one for what goes out alone', [{ metadata: { namespace: 'shop' }, spec: { podSelector: {}, policyTypes: ['Egress'] } }], [true, true]],
  ['one without a rule', [policy([])], [false, false]],
  ['a rule for everybody', [policy([{}])], [true, true]],
  ['a second policy that lets in', [policy([]), policy([{}])], [true, true]],
  ['pods of this namespace', [policy([{ from: [{ podSelector: {} }] }])], [true, false]],
  ['other pods of this namespace', [policy([{ from: [{ podSelector: { matchLabels: { app: 'back' } } }] }])], [false, false]],
  ['a namespace', [policy([{ from: [{ namespaceSelector: { matchLabels: { team: 'bank' } } }] }])], [false, true]],
  [
    'pods of a namespace',
    [
      policy([
        { from: [{ namespaceSelector: {}, podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['front'] }] } }] },
      ]),
    ],
    [false, false],
  ],
  ['addresses', [policy([{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }])], [true, true]],
  ['addresses without some', [policy([{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.8/29'] } }] }])], [false, false]],
  ['a port by its name', [policy([{ ports: [{ port: 'web' }] }])], [true, true]],
  ['a range of ports', [policy([{ ports: [{ port: 70, endPort: 80 }] }])], [true, true]],
  ['another port', [policy([{ ports: [{ port: 81 }] }])], [false, false]],
  ['the port of another protocol', [policy([{ ports: [{ port: 80, protocol: 'UDP' }] }])], [false, false]],
])('admits whom the policies let in: %s', (_name, policies, expected) => {
  expect([reaches(policies, near), reaches(policies, far)]).toEqual(expected);
});
