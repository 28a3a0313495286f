import { create, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import {
  BidScreeningRequestSchema,
  type BidScreeningResponseSchema,
  Endpoint_Kind,
  type GroupSpecSchema,
  type ResourcesSchema,
  type ResourceUnitSchema,
} from '@quartermaster/api/akash-provider';
import { codeOf, messageOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { bookOf, noLimits, reserve } from '../../../test/sample-book.ts';
import { a100, claims, Gi, node } from '../../../test/sample-facts.ts';
import { decideBy } from '../../book/decide.ts';
import type { HostnameGrant } from '../../hostnames/hostname-book.ts';
import type { NodeFacts } from '../../placement/stock-facts.ts';
import { type ScreeningDeps, screen } from './bid-screening.ts';

type Unit = Exclude<MessageInitShape<typeof ResourceUnitSchema>, Message>;
type Resources = Exclude<MessageInitShape<typeof ResourcesSchema>, Message>;

const amount = (value: number | string) => ({ val: new TextEncoder().encode(`${value}`) });
const e18 = 10n ** 18n;
const unitOf = (changed: Resources = {}, of: Unit = {}): Unit => ({
  resource: {
    id: 1,
    cpu: { units: amount(1000) },
    memory: { quantity: amount(Gi) },
    gpu: { units: amount(0) },
    storage: [{ name: 'default', quantity: amount(Gi) }],
    ...changed,
  },
  count: 2,
  price: { denom: 'uakt', amount: `${100n * e18}` },
  ...of,
});

const scale = {
  ...{ denom: 'uakt', cpu: e18 / 100n, memory: 0n, storage: new Map<string, bigint>(), endpoint: e18, ip: 0n },
  gpu: new Map([['nvidia/a100', 7n * e18]]),
};
const terms = {
  ...{ attributes: new Map([['region', 'eu']]), auditors: new Set<string>(), blockedOwners: [], allowedOwners: [] },
  orderAttributes: new Map<string, string>(),
};
const held = (hostname: string, message = ''): HostnameGrant => ({
  ...{ hostname, service: '', externalPort: 80, isStatic: false, code: '', message },
  state: message === '' ? 'held' : 'refused',
});

interface Asked extends Partial<ScreeningDeps> {
  readonly units?: Unit[];
  readonly group?: MessageInitShape<typeof GroupSpecSchema>;
  readonly names?: string[];
  readonly nodes?: readonly NodeFacts[];
}

function ask({ units = [unitOf()], group, names = [], nodes = [node('secret-1')], ...changed }: Asked = {}) {
  const request = create(BidScreeningRequestSchema, { groupSpec: { name: 'dc', resources: units, ...group }, hostnames: names });
  return screen(request, {
    ...{ terms: () => terms, decide: decideBy(bookOf(nodes), { limits: noLimits }), prices: { scale, digits: 6 }, provider: 'farm' },
    hostnames: { check: (_lease, wanted) => wanted.map(({ hostname }) => held(hostname, hostname === 'b.example' ? 'b is blocked' : '')) },
    ...changed,
  });
}
const reasonsOf = (asked: Asked): readonly string[] => {
  const answer: MessageInitShape<typeof BidScreeningResponseSchema> = ask(asked);
  expect(answer).toEqual({ passed: false, reasons: answer.reasons });
  return answer.reasons ?? [];
};
const a100s = (...keys: string[]) => ({ gpu: { units: amount(1), attributes: keys.map((key) => ({ key, value: 'true' })) } });

describe('a screening', () => {
  it('passes what would be bid for, with the price and what is offered', () => {
    const endpoints = [{ kind: Endpoint_Kind.SHARED_HTTP }, { kind: Endpoint_Kind.RANDOM_PORT }];
    const answer = ask({ units: [unitOf({ endpoints })], names: ['a.example'] });
    // Twice a core at 10, and two endpoints at 1.
    expect(answer).toMatchObject({ passed: true, reasons: [], price: { denom: 'uakt', amount: `${22n * e18}` } });
    expect(answer.resourceOffer).toMatchObject({ count: 2, resources: { id: 1, cpu: { units: amount(1000) } } });
  });

  it('offers the cards that it would get', () => {
    const nodes = [node('secret-1', { cards: claims([a100, 4, 4]) })];
    const answer = ask({ nodes, units: [unitOf(a100s('vendor/nvidia/model/*'))] });
    expect(answer.resourceOffer?.resources?.gpu?.attributes).toEqual([
      { key: 'vendor/nvidia/model/a100/ram/80Gi/interface/sxm', value: 'true' },
    ]);
    expect(reasonsOf({ nodes, units: [unitOf(a100s('vendor/nvidia/model/t4'))] })).toEqual(['no single node can hold one replica']);
  });

  it('offers nothing for several units, of which the contract has no room', () => {
    const answer = ask({ units: [unitOf(), unitOf({ id: 2 })] });
    expect([answer.passed, answer.resourceOffer]).toEqual([true, undefined]);
  });

  it('has no price of a program, and says so', () => {
    const reasons = ['the price is not known before the bid: this provider has a program make it'];
    expect(ask({ prices: undefined })).toMatchObject({ passed: true, reasons });
    expect(ask({ prices: undefined })).not.toHaveProperty('price');
  });

  it('does not take whoever asks for a certain account', () => {
    const answer = ask({ terms: () => ({ ...terms, blockedOwners: ['*'], allowedOwners: ['amy'] }) });
    expect([answer.passed, answer.reasons]).toEqual([true, ['this provider bids only for accounts that it has allowed']]);
  });

  const unfit: readonly (readonly [string, Asked, string])[] = [
    ['is too large', { units: [unitOf({ cpu: { units: amount(300_000) } })] }, 'no single node can hold one replica'],
    ['asks for too little', { units: [unitOf({ cpu: { units: amount(1) } })] }, 'request.units[0].cpu_millis is 1'],
    ['has amounts that are none', { units: [unitOf({ cpu: { units: amount('1.5') } })] }, 'cpu_millis is -1'],
    ['has more digits than any amount', { units: [unitOf({ memory: { quantity: amount('9'.repeat(30)) } })] }, 'memory_bytes is -1'],
    ['has no GPUs but cards', { units: [unitOf({ gpu: { units: amount('x') } })] }, 'gpus.count is -1'],
    ['names cards that cannot be', { units: [unitOf(a100s('vendor/nvidia'))] }, 'attributes of gpu must name cards'],
    ['has no resources', { units: [{ count: 1, price: { denom: 'uakt', amount: '1' } }] }, 'cpu_millis is -1'],
    ['has no units', { units: [] }, 'units has 0 units'],
    ['pays in two denoms', { units: [unitOf(), unitOf({ id: 2 }, { price: { denom: 'usdc', amount: '1' } })] }, 'in one denom'],
    ['pays nothing', { units: [unitOf({}, { price: { denom: 'uakt', amount: 'x' } })] }, 'its highest price is 0'],
    [
      'pays too little',
      { units: [unitOf({}, { price: { denom: 'uakt', amount: `${e18}` } })] },
      'it pays at most 2 uakt, and the price is 20',
    ],
    ['pays in another denom', { units: [unitOf({}, { price: { denom: 'usdc', amount: `${e18}` } })] }, 'this provider is paid in uakt'],
    ['costs nothing', { prices: { scale: { ...scale, cpu: 0n }, digits: 6 } }, 'this provider has no price for it'],
    ['needs another attribute', { group: { requirements: { attributes: [{ key: 'region', value: 'us' }] } } }, 'it requires region=us'],
    ['needs an auditor', { group: { requirements: { signedBy: { allOf: ['x'] } } } }, 'it requires that x has signed'],
    ['has a hostname that is blocked', { names: ['a.example', 'b.example'] }, 'b is blocked'],
    ['has too many hostnames', { names: Array.from({ length: 101 }, () => 'a.example') }, '101 hostnames are named'],
  ];
  it.each(unfit)('refuses what %s', (_what, asked, reason) => {
    expect(reasonsOf(asked)).toContainEqual(expect.stringContaining(reason));
  });

  it('takes the ports, addresses and volumes of a group as an order of the market has them', () => {
    const storage = [
      { name: 'data', quantity: amount(Gi), attributes: [{ key: 'persistent', value: 'true' }] },
      { name: 'shm', quantity: amount(Gi), attributes: [{ key: 'class', value: 'ram' }] },
    ];
    const endpoints = [2, 2, 3].map((sequenceNumber) => ({ kind: Endpoint_Kind.LEASED_IP, sequenceNumber }));
    let asked: unknown;
    const decide: ScreeningDeps['decide'] = (request) => {
      asked = request.units[0];
      return { kind: 'refused', why: 'limit', reasons: [] };
    };
    expect(reasonsOf({ units: [unitOf({ storage, endpoints })], decide })).toEqual([
      'too much waits to be leased at this provider already: ask again later',
    ]);
    expect(asked).toMatchObject({
      leasedIps: ['2', '3'],
      volumes: [
        { kind: 'persistent', name: 'data', class: 'default' },
        { kind: 'ram', name: 'shm' },
      ],
    });
  });

  it('names no nodes, whatever is in the way, and no more reasons than can be read', () => {
    const canary = { code: 'StorageClassRefused', message: 'storage class x is not offered: secret-1 is full' };
    for (const why of ['does-not-fit', 'not-known', 'not-found', 'limit'] as const) {
      const told = reasonsOf({ decide: () => ({ kind: 'refused', why, reasons: [canary, { code: 'NoRoom', message: 'no room' }] }) });
      expect(told.join()).not.toContain('secret');
      expect(told).not.toEqual([]);
    }
    const nodes = [node('secret-1', { heldBack: [{ code: 'Unknown', message: 'secret-1 is silent' }] })];
    expect(reasonsOf({ nodes }).join()).not.toContain('secret');
    const attributes = Array.from({ length: 50 }, (_, at) => ({ key: `key${at}`, value: 'x' }));
    expect(reasonsOf({ group: { requirements: { attributes } } })).toHaveLength(21);
  });

  it('reserves nothing, and counts what is reserved', () => {
    const book = bookOf([node('n-1', { cpuMillis: 3000 })]);
    const decide = decideBy(book, { limits: noLimits });
    expect(ask({ decide }).passed).toBe(true);
    expect(book.reservations()).toEqual([]);
    reserve(book, 'other', { units: [{ id: 1, count: 2, cpuMillis: 1000, memoryBytes: Gi, volumes: [] }] });
    expect(ask({ decide }).passed).toBe(false);
  });

  it('is of a group', () => {
    let thrown: unknown;
    try {
      screen(create(BidScreeningRequestSchema, {}), {} as ScreeningDeps);
    } catch (caught) {
      thrown = caught;
    }
    expect([codeOf(thrown), messageOf(thrown)]).toEqual(['invalid_argument', expect.stringContaining('group_spec')]);
  });
});
