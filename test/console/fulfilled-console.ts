import { startTestFulfillment, type TestCaller, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import type { Page } from 'playwright-core';
import { LoopbackProxy } from '../support/loopback-proxy.ts';
import { type ScriptedConsole, signIn, startScriptedConsole } from './scripted-console.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

/** The console over the real fulfillment service on a database of its own. */
export interface FulfilledConsole {
  readonly service: TestFulfillment;
  readonly source: ScriptedSource;
  readonly url: string;
  /** What the service calls an answer, as an administrator; throws unless it is a success. */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /** The service goes, or is back; the console stays. */
  setReachable(isReachable: boolean): void;
  /** Signs the browser of a page in as a provider, before it opens anything. */
  enter(page: Page): Promise<void>;
  /** Signs the page in as somebody: from then on it is theirs. */
  signIn(page: Page, caller: TestCaller): Promise<void>;
  stop(): Promise<void>;
}

export async function startFulfilledConsole(): Promise<FulfilledConsole> {
  const service = await startTestFulfillment({ references: { directories: [], secrets: ['hubs/*'] } });
  const source = new ScriptedSource(farm({ nodeCount: 12 }));
  const stopConfirming = source.keepConfirming();
  const way = await LoopbackProxy.start(service.restUrl);
  const provider = service.token({ name: 'console', role: 'provider' });
  const admin = service.token({ name: 'admin', role: 'admin' });
  const console: ScriptedConsole = await startScriptedConsole(source, {
    args: [`--console-fulfillment-url=${way.url.replace('https:', 'http:')}`],
  });
  return {
    service,
    source,
    url: console.url,
    call: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await fetch(`${service.restUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await admin}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text) as T;
    },
    setReachable: (isReachable) => {
      way.mode = isReachable ? 'forward' : 'refuse';
      if (!isReachable) way.cut();
    },
    enter: async (page) => await signIn(page, console.url, await provider),
    signIn: async (page, caller) => {
      const token = await service.token(caller);
      await page.getByRole('button', { name: /provider|admin|tenant/ }).click();
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: caller.name }).waitFor();
    },
    stop: async () => {
      stopConfirming();
      await console.stop();
      await way.stop();
      await service.stop();
    },
  };
}

const mac = (index: number): string =>
  `52:54:00:00:${(index >> 8).toString(16).padStart(2, '0')}:${(index & 255).toString(16).padStart(2, '0')}`;

/** Three racks of hosts of two classes, a template, and a cluster of acme and one of globex with hosts. */
export async function fillDatacenter({ call }: FulfilledConsole): Promise<void> {
  await call('POST', '/api/private/v1/host_classes', { id: 'gpu', metadata: { name: 'gpu-h100' }, title: 'Eight H100' });
  await call('POST', '/api/private/v1/host_classes', { id: 'cpu', metadata: { name: 'cpu-general' }, title: 'Two sockets' });
  await call('POST', '/api/private/v1/cluster_templates', {
    id: 'training',
    metadata: { name: 'training', tenants: ['shared'] },
    title: 'Training',
    node_sets: { workers: { host_class: 'gpu', size: 3 } },
  });
  const heights: Readonly<Record<string, number>> = { gpu: 8, cpu: 1 };
  const units = new Map<string, number>(); // rack -> its next free unit
  const hosts = Array.from({ length: 36 }, (_, index) => {
    const kind = index % 4 === 0 ? 'gpu' : 'cpu';
    const rack = `r${(index % 3) + 1}`;
    const unit = units.get(rack) ?? 1;
    const height = heights[kind] ?? 1;
    units.set(rack, unit + height);
    return {
      source_id: `machine-${index}`,
      id: `host-${String(index).padStart(2, '0')}`,
      name: `${kind}-${String(index).padStart(2, '0')}`,
      title: kind === 'gpu' ? 'DGX H100' : 'R760',
      rack,
      rack_unit: unit,
      rack_height: height,
      class: kind,
      serial: `SN-${1000 + index}`,
      boot_mac: mac(index),
      boot_ip: `10.9.0.${index + 10}`,
      nics: { items: [{ mac: mac(index), name: 'eth0', speed_mbps: '25000' }] },
      bmc: { url: `redfish+https://bmc-${index}.example.com`, user: 'admin', password: `canary-password-${index}` },
    };
  });
  await call('POST', '/api/quartermaster/v1/sources/bcm-east/hosts', { hosts });
  for (const tenant of ['acme', 'globex']) {
    await call('POST', '/api/private/v1/clusters', {
      id: `${tenant}-train`,
      metadata: { name: `${tenant}-train`, tenants: [tenant] },
      spec: { template: 'training' },
    });
    await call('POST', `/api/quartermaster/v1/clusters/${tenant}-train/hosts/claim`, { node_set: 'workers' });
  }
  for (const host of hosts.filter((_, index) => index % 12 !== 5)) {
    await call('PATCH', `/api/private/v1/hosts/${host.id}`, {
      spec: { power_state: 'HOST_POWER_STATE_ON' },
      status: { state: 'HOST_STATE_READY', power_state: 'HOST_POWER_STATE_ON' },
    });
  }
  await call('PATCH', '/api/private/v1/hosts/host-07', {
    status: {
      state: 'HOST_STATE_FAILED',
      power_state: 'HOST_POWER_STATE_OFF',
      conditions: [
        {
          type: 'HOST_CONDITION_TYPE_FAILED',
          status: 'CONDITION_STATUS_TRUE',
          reason: 'PowerSupply',
          message: 'both power supplies are dark: look at the rack’s power',
          last_transition_time: '2026-01-02T03:04:05Z',
        },
      ],
    },
  });
}

/**
 * Puts copies of a host into the database, all at once and without events: `zz-000001` and so on. In protobuf what comes later wins, so that a copy is
 * the original with an id and a name put behind it.
 */
export async function addHosts({ service }: FulfilledConsole, count: number): Promise<void> {
  await service.database.query(
    {
      text: `insert into hosts (id, name, created_at, tenants, data, body)
        select 'bulk-' || digits, 'zz-' || digits, now(), h.tenants, h.data,
          h.body || '\\x0a0b'::bytea || convert_to('bulk-' || digits, 'UTF8') || '\\x120b3209'::bytea || convert_to('zz-' || digits, 'UTF8')
        from hosts h, generate_series(1, $1::int) as i, lpad(i::text, 6, '0') as digits where h.id = 'host-01'`,
    },
    [count],
  );
  await service.database.query({ text: 'analyze hosts' });
}
