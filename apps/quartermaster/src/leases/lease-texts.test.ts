import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  ClaimedHostnameSchema,
  LeaseProblemSchema,
  LeftoverSchema,
  type RunningLease,
  TenantShellSchema,
} from '@quartermaster/api/cluster';
import { describe, expect, it } from 'vitest';
import { type Look, listingText } from '../text/listing.ts';
import { leftoversText } from './collect-leftovers.ts';
import { hostnameView } from './get-hostnames.ts';
import { shellsText, shellView } from './get-shells.ts';
import { leaseText } from './lease-connection.ts';
import { leaseDescription } from './lease-description.ts';
import { leaseView } from './lease-list.ts';
import { ago, failing, lease, look, running, start } from './test/lease-messages.ts';

const view = leaseView({ isFiltered: false });
const found = (leases: readonly RunningLease[]) => ({ leases, stale: [], strangers: [] });
const shown = (leases: readonly RunningLease[], as: Look = look): readonly string[] =>
  listingText(view.list(found(leases), as)).split('\n');

describe('a list of running leases', () => {
  it('says how each is, where it runs, what leads to it and what it brings in', () => {
    expect(shown([lease(running), lease(failing)])).toEqual([
      'LEASE            STATE   HEALTH     AVAILABLE  NODES         GPUS  HOSTNAMES    PER MONTH  AGE',
      'akash1ann/7/1/1  Active  Healthy    2 of 2     gpu-1, gpu-2  2     web.example  43.83 AKT  1m',
      'akash1bob/8/1/2  Error   Unhealthy  0 of 1     -             -     -            -          1h',
      '',
    ]);
  });

  it('adds why, where and what when it may be wide', () => {
    const [, first = '', second = ''] = shown([lease(running), lease(failing)], { ...look, wide: true });
    expect(first).toMatch(/1m +Running +web +active +lease-akash1ann-7-1-1 +9b71d224bd62$/);
    expect(second).toMatch(/1h +ManifestRefused +api +unknown +lease-akash1bob-8-1-2 +-$/);
  });

  it('counts replicas that are available, not those that are only ready', () => {
    const services = [{ name: 'web', count: 3, available: 1, ready: 2 }];
    expect(shown([lease({ ...running, services })])[1]).toContain('1 of 3');
    expect(leaseDescription(lease({ ...running, services }), look)).toMatch(/Health +Healthy, 1 of 3 available[\s\S]*web +1 of 3 /);
  });

  it('names three nodes and counts the others', () => {
    const pods = ['e', 'b', 'd', 'a', 'c', 'a', ''].map((node) => ({ node }));
    expect(shown([lease({ ...running, services: [{ name: 'web', pods }] })])[1]).toContain('a, b, c, 2 more');
  });

  it('says that there is none, what may be old, and what is ignored', () => {
    expect(shown([])).toEqual(['This provider has no leases.', '']);
    expect(listingText(leaseView({ isFiltered: true }).list(found([]), look))).toBe('No lease matches.\n');
    const strangers = [create(LeaseProblemSchema, { subject: 'lease-x-1-1-1', message: 'nobody has leased it' })];
    const text = listingText(view.list({ leases: [], stale: ['pods'], strangers }, look));
    expect(text).toContain('ignored: lease-x-1-1-1: nobody has leased it\n');
    expect(text).toContain('stale: pods: showing the last known state\n');
  });

  it('names no hostname that another lease has', () => {
    const hostnames = [
      { hostname: 'web.example', state: 'withheld' },
      { hostname: 'api.example', state: 'held' },
    ];
    expect(shown([lease({ ...running, hostnames })])[1]).toMatch(/ 2 +api\.example +43\.83/);
  });

  it('is for programs as the contract has it, and by orders', () => {
    expect(view.document(found([lease(running)]))).toMatchObject({ leases: [{ state: 'LEASE_RUN_STATE_ACTIVE', order: { dseq: '7' } }] });
    expect([...(view.objects?.(found([lease(running)])).keys() ?? [])]).toEqual(['akash1ann/7/1/1']);
    expect(view.names?.(found([lease(failing)]))).toEqual(['akash1bob/8/1/2']);
  });

  it('shows nothing that nobody says as if it were known', () => {
    const [, row = ''] = shown([lease({})]);
    expect(row).toMatch(/^ +Unknown +Unknown +- +- +- +- +- +\?$/);
  });
});

describe('the description of a running lease', () => {
  it('tells its progress, services, pods with their cards, hostnames and volumes', () => {
    expect(leaseDescription(lease(running), look).split('\n')).toEqual([
      'Lease      akash1ann/7/1/1',
      'State      Active for 1m',
      'Reason     Running: All replicas run.',
      'Health     Healthy, 2 of 2 available',
      'Price      100 uakt per block, 43.83 AKT per month',
      'Market     active',
      'Provider   akash1provider',
      'Namespace  lease-akash1ann-7-1-1 (uid-7)',
      'Manifest   9b71d224bd62f3785d96d46ad3ea3d73',
      '',
      'Progress',
      '  STEP      STATE  AT                    AFTER   MESSAGE',
      '  Ordered   done   2025-12-31 23:58:00Z  -       -',
      '  Leased    done   2025-12-31 23:58:20Z  20.0 s  -',
      '  Manifest  done   2025-12-31 23:58:30Z  10.0 s  -',
      '  Running   done   2025-12-31 23:59:00Z  30.0 s  -',
      '',
      'Services',
      '  SERVICE  AVAILABLE  UPDATED  IMAGE  PORTS',
      '  web      2 of 2     2        nginx  p.example:31022 to 22/TCP, no address yet for game',
      '',
      'Pods',
      '  POD    SERVICE  STATE           NODE   GPUS   RESTARTS  AGE',
      '  web-1  web      Running, ready  gpu-2  GPU-a  0         1m',
      '  web-2  web      Running, ready  gpu-1  1      2         1m',
      '',
      'Hostnames',
      '  HOSTNAME     STATE  SERVICE  PORT  REASON',
      '  web.example  held   web      80    -',
      '',
      'Volumes',
      '  VOLUME    STATE  SIZE   CLASS  NODE  CLAIM',
      '  web/data  Bound  1 GiB  beta3  -     data-web-0',
      '',
    ]);
  });

  it('tells apart what is wrong, what was refused and what could not be removed, and when it closes', () => {
    const text = leaseDescription(lease(failing), look);
    expect(text).toContain('Reason     ManifestRefused: The manifest asks for more than was ordered.\n');
    expect(text).toContain('Unhealthy  for 50s\nCloses     in 10m (2026-01-01 00:10:00Z), unless it becomes healthy\n');
    expect(leaseDescription(lease({ ...failing, unhealthySince: undefined }), look)).toContain('10:00Z), unless a manifest is accepted\n');
    expect(text).toContain('Problems\n  api-1: The image cannot be pulled (ImagePullFailed) for 50s\n');
    expect(text).toContain('Refused manifest\n  Api asks for 4 CPUs, and 2 were ordered (ResourcesDiffer) for 30s\n');
    expect(text).toContain('Not removed yet\n  PersistentVolumeClaim data-0: The volume is attached (Stuck) for 20s\n');
    expect(text).toContain('Manifest   none is deployed\n');
    expect(text).toMatch(/Manifest +waiting +- +- +Hand over another one\.\n +Running +not yet/);
  });
});

it('names leases as other commands take them, also where the name of an object has a part of the owner', () => {
  expect(leaseText('ann-7-1-1')).toBe('ann/7/1/1');
  expect(leaseText('ann.0123abc-7-1-1', 'Ann@Example')).toBe('Ann@Example/7/1/1');
  expect(leaseText('ann.0123abc-7-1-1')).toBe('ann.0123abc-7-1-1');
  expect(leaseText('')).toBe('-');
});

it('lists hostnames with what they lead to, and when released ones are free', () => {
  const hostnames = [
    { hostname: 'web.example', owner: 'ann', lease: 'ann-7-1-1', service: 'web', externalPort: 80, state: 'Held', since: ago(60) },
    { hostname: 'old.example', owner: 'ann', state: 'Released', since: ago(5), freeAt: timestampFromMs(start + 60_000) },
  ].map((each) => create(ClaimedHostnameSchema, each));
  expect(listingText(hostnameView.list(hostnames, { ...look, wide: true })).split('\n')).toEqual([
    'HOSTNAME     STATE     LEASE      SERVICE  PORT  SINCE  FREE   OWNER  STATIC',
    'web.example  Held      ann/7/1/1  web      80    1m     -      ann    no',
    'old.example  Released  -          -        -     5s     in 1m  ann    no',
    '',
  ]);
  expect(listingText(hostnameView.list([], look))).toBe('No hostname is claimed.\n');
});

it('lists leftovers with what becomes of them', () => {
  const leftovers = [
    { object: 'Namespace lease-x', lease: 'x-1-1-1', fate: 'removable', reason: 'LeaseClosed', message: 'closed 2 h ago' },
  ];
  expect(leftoversText(leftovers.map((each) => create(LeftoverSchema, each)))).toBe(
    'OBJECT             LEASE    STATUS     REASON\nNamespace lease-x  x/1/1/1  removable  LeaseClosed: closed 2 h ago\n',
  );
  expect(leftoversText([])).toBe('No leftovers found.\n');
});

it('lists shells with who opened them from where, how long they lasted and how they ended', () => {
  const opened = {
    order: { owner: 'ann', dseq: 7n, gseq: 1, oseq: 1 },
    service: 'web',
    pod: 'web-0',
    proof: 'token',
    address: '192.0.2.7',
  };
  const shells = [
    { ...opened, name: '3', openedAt: ago(60), fingerprint: 'cafe', replica: 'r-1' },
    { ...opened, name: '2', openedAt: ago(120), closedAt: ago(90), outcome: '137' },
    { ...opened, name: '1', openedAt: ago(86_400), outcome: 'unknown end' },
  ].map((each) => create(TenantShellSchema, each));
  expect(listingText(shellView.list(shells, { ...look, wide: true })).split('\n')).toEqual([
    'TIME                  LEASE      SERVICE  POD    FROM       PROOF  LASTED  OUTCOME      FINGERPRINT  REPLICA',
    '2025-12-31 23:59:00Z  ann/7/1/1  web      web-0  192.0.2.7  token  1m      open         cafe         r-1',
    '2025-12-31 23:58:00Z  ann/7/1/1  web      web-0  192.0.2.7  token  30s     137',
    '2025-12-31 00:00:00Z  ann/7/1/1  web      web-0  192.0.2.7  token  ?       unknown end',
    '',
  ]);
  expect(listingText(shellView.list([], look))).toBe('No shell is on record.\n');
  expect(shellsText(shells, start)).toBe('3, 1 of them open, last 1m ago');
  expect(shellsText([], start)).toBe('none');
  expect(leaseDescription(lease(running), look, shellsText(shells, start))).toContain('\nShells     3, 1 of them open, last 1m ago\n');
});
