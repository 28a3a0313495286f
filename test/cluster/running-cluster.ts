import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bidDecisionType } from '@quartermaster/api/bid-decision';
import { BidService, ReservationService } from '@quartermaster/api/cluster';
import { contractsFolder } from '@quartermaster/api/manifests';
import { reservationType } from '@quartermaster/api/reservation';
import { LocalTokens } from '@quartermaster/auth';
import type { Bus } from '@quartermaster/bus';
import { clusterRole } from '@quartermaster/cluster/roles';
import { systemClock } from '@quartermaster/kernel';
import { type KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { type ClientTls, openRpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { sharedBus } from '@quartermaster/runtime';
import { type RunningRole, startRole } from '@quartermaster/runtime/testing';
import { readManifests, SharedParts } from '@quartermaster/service';
import { vi } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import type { RunningOperator } from '../inventory/running-operator.ts';
import { createCertificateAuthority } from '../kube/certificates.ts';

/** Waits for what is so a moment later. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => {
    if (!(await holds())) throw new Error('it is not so yet');
  }, patience);
}

/** The kinds of reservations and, unless they are left out, of bid decisions. */
export async function installReservations(client: KubeClient, { withDecisions = true } = {}): Promise<void> {
  for (const definition of await readManifests(contractsFolder, ['reservation', ...(withDecisions ? ['bid-decision'] : [])]))
    await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
  await vi.waitFor(() => client.list(reservationType, { limit: 1 }), patience);
  if (withDecisions) await vi.waitFor(() => client.list(bidDecisionType, { limit: 1 }), patience);
}

/** Local tokens, as an installation issues them: for the fulfillment service, and good for this one. With certificates, by which replicas know each other. */
export interface ClusterTokens {
  readonly args: readonly string[];
  readonly tls: ClientTls & { readonly ca: string };
  issue(role: string): Promise<string>;
  readonly end: () => Promise<void>;
}

const roles = { admin: { tenants: 'all' }, provider: { tenants: 'all' }, reader: { tenants: 'all' }, tenant: { tenants: 'own' } } as const;

/** In the certificates of all replicas, as that of their Service would be. */
const serverName = 'quartermaster-cluster';

export async function clusterTokens(): Promise<ClusterTokens> {
  const directory = await mkdtemp(join(tmpdir(), 'cluster-tokens-'));
  const keyFile = join(directory, 'token-key');
  const tokens = await LocalTokens.open(keyFile, { name: 'fulfillment', roles }, systemClock);
  const authority = await createCertificateAuthority('test');
  const { certificate, key } = await authority.issueServer({ commonName: 'cluster', hosts: [serverName, '127.0.0.1'] });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(directory, name), text, { mode: 0o600 });
    return join(directory, name);
  };
  return {
    args: [
      `--cluster-local-key-file=${keyFile}`,
      `--cluster-tls-cert-file=${await file('tls.crt', certificate)}`,
      `--cluster-tls-key-file=${await file('tls.key', key)}`,
      `--cluster-peer-ca-file=${await file('ca.crt', authority.certificate)}`,
      `--cluster-peer-server-name=${serverName}`,
    ],
    tls: { ca: authority.certificate, serverName },
    issue: (role) =>
      tokens.issue({ name: `the ${role} of the test`, role, groups: ['acme'], lifetimeMs: 86_400_000, services: ['cluster'] }),
    end: () => rm(directory, { recursive: true, force: true }),
  };
}

export interface ReplicaOptions {
  readonly kubeconfig: string;
  readonly operator: Pick<RunningOperator, 'served'>;
  /** File with a token that the operator takes. */
  readonly tokenFile: string;
  readonly tokens: ClusterTokens;
  readonly bus?: Bus | undefined;
  readonly args?: readonly string[] | undefined;
}

/** One replica of the cluster service, as the role runs it, in this process. */
export interface RunningReplica extends Pick<RunningRole, 'served' | 'complaints' | 'status' | 'metrics' | 'health'> {
  /** As an administrator, unless another token is given. */
  client(token?: string): ServiceClient<typeof ReservationService>;
  bids(token?: string): ServiceClient<typeof BidService>;
  stop(): Promise<void>;
}

export async function startReplica({ kubeconfig, operator, tokenFile, tokens, bus, args = [] }: ReplicaOptions): Promise<RunningReplica> {
  const shared = new SharedParts();
  if (bus !== undefined) shared.provide(sharedBus, { bus, isShared: false });
  const running = await startRole(clusterRole, {
    kubeconfig,
    shared,
    args: [
      `--cluster-inventory-address=${operator.served.grpc}`,
      `--cluster-inventory-token-file=${tokenFile}`,
      '--inventory-resource-poll-period=500ms',
      ...tokens.args,
      ...args,
    ],
  });
  const admin = await tokens.issue('admin');
  const channels: { close(): void }[] = [];
  const channelOf = (token: string) => {
    const channel = openRpcChannel({ address: running.served.grpc, tls: tokens.tls, token: () => token, tries: 1 });
    channels.push(channel);
    return channel;
  };
  return {
    served: running.served,
    complaints: running.complaints,
    status: running.status,
    metrics: running.metrics,
    health: running.health,
    client: (token = admin) => channelOf(token).client(ReservationService),
    bids: (token = admin) => channelOf(token).client(BidService),
    stop: async () => {
      for (const channel of channels) channel.close();
      await running.stop();
    },
  };
}
