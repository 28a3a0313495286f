import { stringify } from 'yaml';
import { storageClassName } from '../leases/lease-sdl.ts';

export interface RichSdlOptions {
  /** Names of the services, which an update may change. */
  readonly web: string;
  readonly db: string;
  readonly host: string;
  readonly permissions?: readonly string[] | undefined;
  readonly password?: string | undefined;
}

/** An SDL with what takes rights of its own: permissions, secrets, credentials, a volume, a port of the cluster's, a leased address and a hostname. */
export function richSdl({ web, db, host, permissions = [], password = 'canary-1' }: RichSdlOptions): string {
  const pricing = { denom: 'uakt', amount: 1_000_000 };
  return stringify({
    version: '2.1',
    endpoints: { front: { kind: 'ip' } },
    services: {
      [web]: {
        image: 'registry.example/web:1',
        env: ['MODE=plain', `DB_PASSWORD=${password}`],
        credentials: { host: 'registry.example', username: 'amy', password: `${password}-registry` },
        ...(permissions.length > 0 && { params: { permissions: { read: permissions } } }),
        expose: [
          { port: 80, as: 80, accept: [host], to: [{ global: true }] },
          { port: 7000, as: 7000, to: [{ global: true }] },
          { port: 9000, as: 9000, to: [{ global: true, ip: 'front' }] },
        ],
      },
      [db]: {
        image: 'db:1',
        params: { storage: { data: { mount: '/data', readOnly: false } } },
        expose: [{ port: 5432, to: [{ service: web }] }],
      },
    },
    profiles: {
      compute: {
        web: { resources: { cpu: { units: 0.1 }, memory: { size: '64Mi' }, storage: [{ size: '128Mi' }] } },
        db: {
          resources: {
            cpu: { units: 0.2 },
            memory: { size: '64Mi' },
            storage: [{ size: '128Mi' }, { name: 'data', size: '1Gi', attributes: { persistent: true, class: storageClassName } }],
          },
        },
      },
      placement: { here: { pricing: { web: pricing, db: pricing } } },
    },
    deployment: { [web]: { here: { profile: 'web', count: 1 } }, [db]: { here: { profile: 'db', count: 1 } } },
  });
}

/** One service with one NVIDIA H100, whoever hands it out. */
export const cardSdl = (service: string): string =>
  stringify({
    version: '2.0',
    services: { [service]: { image: 'train:1', expose: [{ port: 80, as: 80, to: [{ global: true }] }] } },
    profiles: {
      compute: {
        train: {
          resources: {
            cpu: { units: 0.1 },
            memory: { size: '64Mi' },
            storage: [{ size: '128Mi' }],
            gpu: { units: 1, attributes: { vendor: { nvidia: [{ model: 'h100' }] } } },
          },
        },
      },
      placement: { here: { pricing: { train: { denom: 'uakt', amount: 1_000_000 } } } },
    },
    deployment: { [service]: { here: { profile: 'train', count: 1 } } },
  });
