import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

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
