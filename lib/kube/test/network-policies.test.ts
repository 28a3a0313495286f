import { describe, expect, it } from 'vitest';
import type { NetworkPolicy, NetworkPolicyIngressRule, NetworkPolicyPort } from '../src/generated/shapes.ts';
import { type Connection, type ConnectionEnd, isAllowed, isInCidr, isLetIn } from './network-policies.ts';

const ports = [{ name: 'web', containerPort: 80 }, { name: 'dns', containerPort: 53, protocol: 'UDP' }, { containerPort: 81 }];
const pod = (namespace: string, app: string, ip = '10.0.0.9'): ConnectionEnd => ({
  ip,
  pod: { namespace, namespaceLabels: { team: namespace }, labels: { app }, ports },
});
const policy = (ingress: readonly NetworkPolicyIngressRule[], podSelector = {}): NetworkPolicy => ({
  metadata: { namespace: 'shop', name: 'p' },
  spec: { podSelector, policyTypes: ['Ingress'], ingress },
});
const [near, far, outside] = [pod('shop', 'front'), pod('bank', 'front'), { ip: '10.0.0.9' }];
const to = pod('shop', 'web', '10.0.0.1');
const tcp = { to, port: 80, protocol: 'TCP' } as const;

it.each<readonly [string, readonly NetworkPolicy[], readonly [near: boolean, far: boolean, outside: boolean]]>([
  ['no policy', [], [true, true, true]],
  ['one of other pods', [policy([], { matchLabels: { app: 'db' } })], [true, true, true]],
  ['one of another namespace', [{ ...policy([]), metadata: { namespace: 'bank' } }], [true, true, true]],
  ['one for what goes out alone', [{ metadata: { namespace: 'shop' }, spec: { policyTypes: ['Egress'] } }], [true, true, true]],
  ['one that says no types', [{ metadata: { namespace: 'shop' }, spec: { podSelector: {} } }], [false, false, false]],
  ['one that says no types and lets in', [{ metadata: { namespace: 'shop' }, spec: { ingress: [{}] } }], [true, true, true]],
  ['one without a rule', [policy([])], [false, false, false]],
  ['a rule for everybody', [policy([{}])], [true, true, true]],
  ['a second policy that lets in', [policy([]), policy([{}])], [true, true, true]],
  ['pods of this namespace', [policy([{ from: [{ podSelector: {} }] }])], [true, false, false]],
  ['other pods of this namespace', [policy([{ from: [{ podSelector: { matchLabels: { app: 'back' } } }] }])], [false, false, false]],
  ['a namespace', [policy([{ from: [{ namespaceSelector: { matchLabels: { team: 'bank' } } }] }])], [false, true, false]],
  [
    'pods of a namespace',
    [
      policy([
        { from: [{ namespaceSelector: {}, podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['front'] }] } }] },
      ]),
    ],
    [false, false, false],
  ],
  [
    'one of two',
    [policy([{ from: [{ podSelector: {} }, { namespaceSelector: { matchLabels: { team: 'bank' } } }] }])],
    [true, true, false],
  ],
  ['addresses', [policy([{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }])], [true, true, true]],
  ['addresses without some', [policy([{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.8/29'] } }] }])], [false, false, false]],
  ['addresses of the other family', [policy([{ from: [{ ipBlock: { cidr: '::/0' } }] }])], [false, false, false]],
])('policies let in whom they name: %s', (_name, policies, expected) => {
  expect([near, far, outside].map((from) => isLetIn(policies, { ...tcp, from }))).toEqual(expected);
});

it.each<readonly [string, readonly NetworkPolicyPort[], Partial<Connection>, boolean]>([
  ['the port', [{ port: 80 }], {}, true],
  ['another port', [{ port: 81 }], {}, false],
  ['one of two ports', [{ port: 81 }, { port: 80 }], {}, true],
  ['every port where none is said', [{ protocol: 'TCP' }], { port: 9999 }, true],
  ['no port of another protocol where none is said', [{ protocol: 'UDP' }], {}, false],
  ['TCP where no protocol is said', [{}], {}, true],
  ['no UDP where no protocol is said', [{}], { protocol: 'UDP' }, false],
  ['the port of another protocol', [{ port: 80, protocol: 'UDP' }], {}, false],
  ['SCTP', [{ port: 80, protocol: 'SCTP' }], { protocol: 'SCTP' }, true],
  ['the first of a range', [{ port: 80, endPort: 90 }], {}, true],
  ['the last of a range', [{ port: 70, endPort: 80 }], {}, true],
  ['what is past a range', [{ port: 70, endPort: 79 }], {}, false],
  ['what is before a range', [{ port: 81, endPort: 90 }], {}, false],
  ['a port by its name', [{ port: 'web' }], {}, true],
  ['another port than the one of that name', [{ port: 'web' }], { port: 81 }, false],
  ['a name that the pod does not have', [{ port: 'none' }], {}, false],
  ['a name by another protocol', [{ port: 'dns' }], { port: 53 }, false],
  ['a name by its protocol', [{ port: 'dns', protocol: 'UDP' }], { port: 53, protocol: 'UDP' }, true],
])('a rule for ports has %s', (_name, named, change, expected) => {
  const connection = { ...tcp, from: far, ...change };
  expect(isLetIn([policy([{ ports: named }])], connection)).toBe(expected);
  // The same from the other side: names are those of the pod that is reached.
  const egress: NetworkPolicy = { metadata: { namespace: 'bank' }, spec: { policyTypes: ['Egress'], egress: [{ ports: named }] } };
  expect(isAllowed([egress], connection)).toBe(expected);
});

describe('what goes out', () => {
  const egress = (spec: NetworkPolicy['spec']): NetworkPolicy => ({ metadata: { namespace: 'bank' }, spec });

  it('is as free as what comes in allows where no policy is about it', () => {
    expect(isAllowed([], { ...tcp, from: far })).toBe(true);
    expect(isAllowed([egress({ policyTypes: ['Ingress'] })], { ...tcp, from: far })).toBe(true);
    expect(isAllowed([policy([])], { ...tcp, from: far })).toBe(false);
  });

  it('is bound by rules for it, where these imply the type as well', () => {
    const toShop = { to: [{ namespaceSelector: { matchLabels: { team: 'shop' } } }] };
    const toBank = { to: [{ namespaceSelector: { matchLabels: { team: 'bank' } } }] };
    expect(isAllowed([egress({ policyTypes: ['Egress'] })], { ...tcp, from: far })).toBe(false);
    for (const policyTypes of [['Egress'], [], undefined]) {
      expect(isAllowed([egress({ policyTypes, egress: [toShop] })], { ...tcp, from: far })).toBe(true);
      expect(isAllowed([egress({ policyTypes, egress: [toBank] })], { ...tcp, from: far })).toBe(false);
    }
  });

  it('needs both ends to agree', () => {
    const out = egress({ policyTypes: ['Egress'], egress: [{}] });
    expect(isAllowed([out, policy([])], { ...tcp, from: far })).toBe(false);
    expect(isAllowed([out, policy([{}])], { ...tcp, from: far })).toBe(true);
    expect(isAllowed([out], { ...tcp, from: far, to: { ip: '8.8.8.8' } })).toBe(true);
  });
});

it.each<readonly [string, string, NetworkPolicy]>([
  ['a field of a policy', 'not evaluated: action', { metadata: { namespace: 'shop' }, spec: { action: 'Deny' } as object }],
  ['a type', 'no such type', { metadata: { namespace: 'shop' }, spec: { policyTypes: ['Both'] } }],
  ['a field of a rule', 'not evaluated: to', policy([{ to: [] } as object])],
  ['a field of a peer', 'not evaluated: fqdn', policy([{ from: [{ fqdn: 'example.com' } as object] }])],
  ['a peer that says nothing', 'either a block', policy([{ from: [{}] }])],
  ['a peer with addresses and a selector', 'either a block', policy([{ from: [{ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }] }])],
  ['a peer after one that matches', 'either a block', policy([{ from: [{ podSelector: {} }, {}] }])],
  [
    'an operator',
    'no such operator',
    policy([{ from: [{ podSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } }] }]),
  ],
  ['a protocol', 'no such protocol', policy([{ ports: [{ protocol: 'ICMP' }] }])],
  ['a range without a beginning', 'no beginning', policy([{ ports: [{ endPort: 80 }] }])],
  ['a range from a name', 'no beginning', policy([{ ports: [{ port: 'web', endPort: 80 }] }])],
  ['a range that goes backwards', 'no beginning', policy([{ ports: [{ port: 80, endPort: 79 }] }])],
  ['a block that is none', 'no prefix', policy([{ from: [{ ipBlock: { cidr: '10.0.0.0' } }] }])],
  ['a policy of no namespace', 'says no namespace', { metadata: {}, spec: {} }],
])('nothing is said of %s that is not understood', (_name, why, unread) => {
  expect(() => isLetIn([unread], { ...tcp, from: near })).toThrow(why);
});

it('addresses are in a network by its prefix', () => {
  expect([isInCidr('10.0.0.0/8', '10.255.255.255'), isInCidr('10.0.0.0/8', '11.0.0.0')]).toEqual([true, false]);
  expect([isInCidr('fd00::/8', 'fdff::1'), isInCidr('fd00::/8', 'fe00::')]).toEqual([true, false]);
  expect(isInCidr('0.0.0.0/0', '::1')).toBe(false);
  expect(() => isInCidr('0.0.0.0/0', 'localhost')).toThrow('no address');
});
