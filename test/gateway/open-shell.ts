import { Leases } from '@quartermaster/api/market';
import type { TestMarket } from '@quartermaster/market/testing';
import { vi } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import { type Deployed, provider } from '../leases/running-leases.ts';
import { GatewayClient, type Shown } from './gateway-client.ts';
import { pathOf } from './gateway-site.ts';
import { TenantStream } from './tenant-stream.ts';

export interface ShellAsked {
  readonly command: readonly string[];
  readonly stdin?: boolean | undefined;
}

const tokenSeconds = 86_000n;

/** Of the service `web`. */
export function shellPath(lease: Deployed, { command, stdin = false }: ShellAsked): string {
  const query = new URLSearchParams({ service: 'web', podIndex: '0', tty: '0', stdin: stdin ? '1' : '0' });
  for (const [index, word] of command.entries()) query.set(`cmd${index}`, word);
  return pathOf(lease, `/shell?${query.toString()}`);
}

/** Where a tenant opens shells and what it shows there, as its market tells it. */
export async function shellAccess(
  market: TestMarket,
  { id, owner }: Deployed,
): Promise<{ readonly client: GatewayClient; readonly shown: Shown }> {
  return await vi.waitFor(async () => {
    const asked = { id: `${id}-1-1-${provider}`, scopes: ['shell'], lifetime: { seconds: tokenSeconds } };
    const { token, gateway } = await market.tenant(owner).client(Leases).createToken(asked);
    if (gateway === undefined) throw new Error(`the market does not know where the gateway of ${id} is`);
    return { client: new GatewayClient(gateway), shown: { token } };
  }, patience);
}

/** Throws where the gateway refuses it. */
export async function openShell(market: TestMarket, lease: Deployed, asked: ShellAsked): Promise<TenantStream> {
  const { client, shown } = await shellAccess(market, lease);
  return await TenantStream.open(client, shellPath(lease, asked), shown);
}
