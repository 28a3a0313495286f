import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { discoveryRole } from '@quartermaster/inventory/roles';
import { expect, it } from 'vitest';
import { processConfig } from './role-config.ts';
import { roles } from './roles.ts';

const run = promisify(execFile);
const list = fileURLToPath(new URL('./roles.ts', import.meta.url));

const loadedFiles = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
await import(${JSON.stringify(list)});
console.log(JSON.stringify(loaded));
`;

/** Every command line reads the declarations; what roles are made of is for those that run them. */
const heavy = /\/node_modules\/(pg|@grpc|nice-grpc|fastify|undici|@kubernetes|@nats-io)\/|\/lib\/(kube|rpc|store|bus|controller)\/src\//;

it('loads no Kubernetes, gRPC, bus or database to know what roles there are', async () => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', loadedFiles]);
  const loaded = JSON.parse(stdout) as readonly string[];
  expect(loaded.some((url) => url.endsWith('/operator/inventory-role.ts'))).toBe(true);
  expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
});

it('lets no role listen beyond loopback without TLS, and says what to give', () => {
  const definitions = [processConfig, ...roles.map(({ config }) => config)];
  const hosts = definitions.flatMap((config) =>
    config.keys.filter(({ name }) => name.endsWith('-host')).map(({ name }) => ({ config, name })),
  );
  expect(hosts.map(({ name }) => name)).toEqual([
    'admin-host',
    'fulfillment-host',
    'market-host',
    'inventory-akash-host',
    'inventory-host',
    'gateway-host',
    'cluster-host',
    'discovery-host',
    'console-host',
  ]);
  // The agents make their certificates themselves, and the protocol of a stock Akash provider has none.
  for (const { config, name } of hosts.filter((host) => host.config !== discoveryRole.config && host.name !== 'inventory-akash-host')) {
    const problems = config.check(config.schema.parse({ [name]: '0.0.0.0' })).filter(({ key }) => key === name);
    const prefix = name.replace(/-host$/, '');
    const message = `is beyond loopback, which needs TLS: give ${prefix}-tls-cert-file and ${prefix}-tls-key-file, or serve on 127.0.0.1`;
    expect(problems).toEqual([{ key: name, message }]);
  }
});
