import { isLoopback } from '@quartermaster/kernel';
import type { DeliveredGateway } from '../market/market.ts';
import type { GatewaySettings } from './gateway-settings.ts';

/** Where tenants are told to come: what the settings say, or else the address itself where nobody but this machine could be meant. */
export function addressTold(
  config: Pick<GatewaySettings, 'gateway-host' | 'gateway-public-url' | 'gateway-public-grpc-address'>,
  ports: { readonly https: number; readonly grpc: number },
): Omit<DeliveredGateway, 'certificateAuthority'> | undefined {
  const uri = config['gateway-public-url'];
  if (uri !== undefined) return { uri: uri.replace(/\/$/, ''), grpcAddress: config['gateway-public-grpc-address'] ?? '' };
  const host = config['gateway-host'];
  if (!isLoopback(host)) return undefined;
  const at = host.includes(':') ? `[${host}]` : host;
  return { uri: `https://${at}:${ports.https}`, grpcAddress: `${at}:${ports.grpc}` };
}
