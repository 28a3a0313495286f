import { stringify } from 'yaml';

/** A service of an SDL; what is not given is small. */
export interface SdlService {
  readonly image?: string;
  readonly count?: number;
  readonly cpu?: number;
  readonly memory?: string;
  /** `NAME=value` each. */
  readonly env?: readonly string[];
  /** Names of the tenant's own. */
  readonly hosts?: readonly string[];
  /** Has a persistent volume `data` of this size. */
  readonly data?: string;
  /** Of the port 80: shared by hostname unless it is another one. */
  readonly as?: number;
  readonly permissions?: readonly string[];
}

export const storageClassName = 'beta3';

/** An SDL with one group of these services, each with a profile of its own and a port for everybody. */
export function leaseSdl(services: Readonly<Record<string, SdlService>>): string {
  const each = <T>(make: (service: SdlService, name: string) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(services).map(([name, service]) => [name, make(service, name)]));
  return stringify({
    version: '2.0',
    services: each(({ image = 'nginx:1', env = [], hosts = [], data, as = 80, permissions = [] }) => {
      const params = {
        ...(data === undefined ? {} : { storage: { data: { mount: '/data', readOnly: false } } }),
        ...(permissions.length === 0 ? {} : { permissions: { read: permissions } }),
      };
      return {
        image,
        ...(env.length === 0 ? {} : { env }),
        ...(Object.keys(params).length === 0 ? {} : { params }),
        expose: [{ port: 80, as, ...(hosts.length === 0 ? {} : { accept: hosts }), to: [{ global: true }] }],
      };
    }),
    profiles: {
      compute: each(({ cpu = 0.1, memory = '64Mi', data }) => {
        const volume = { name: 'data', size: data, attributes: { persistent: true, class: storageClassName } };
        return {
          resources: {
            cpu: { units: cpu },
            memory: { size: memory },
            storage: [{ size: '128Mi' }, ...(data === undefined ? [] : [volume])],
          },
        };
      }),
      placement: { here: { pricing: each(() => ({ denom: 'uakt', amount: 1_000_000 })) } },
    },
    deployment: each(({ count = 1 }, name) => ({ here: { profile: name, count } })),
  });
}
