import { stringify } from 'yaml';

/** An SDL with one group of small services that are alike, each with a hostname. */
export function leaseSdl(services: readonly string[], { image, env }: { readonly image: string; readonly env: readonly string[] }): string {
  const each = <T>(value: T): Record<string, T> => Object.fromEntries(services.map((name) => [name, value]));
  const resources = { cpu: { units: 0.1 }, memory: { size: '64Mi' }, storage: [{ size: '128Mi' }] };
  return stringify(
    {
      version: '2.0',
      services: each({ image, env, expose: [{ port: 80, as: 80, to: [{ global: true }] }] }),
      profiles: { compute: each({ resources }), placement: { here: { pricing: each({ denom: 'uakt', amount: 1_000_000 }) } } },
      deployment: Object.fromEntries(services.map((name) => [name, { here: { profile: name, count: 1 } }])),
    },
    { aliasDuplicateObjects: false },
  );
}
