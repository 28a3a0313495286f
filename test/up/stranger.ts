/**
 * Another account of the machine: becomes it, and then tries what the process that started it names: files, and ports by every protocol that is spoken here. Tells what came
 * of it and ends. It must be started by root. What it needs is loaded before, since the other account may not be able to read this checkout.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import * as akash from '@quartermaster/api/akash-inventory';
import * as cluster from '@quartermaster/api/cluster';
import * as fulfillment from '@quartermaster/api/fulfillment';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as inventory from '@quartermaster/api/inventory';
import * as market from '@quartermaster/api/market';
import * as internal from '@quartermaster/api/private';
import * as removals from '@quartermaster/api/removals';
import { codeOf, messageOf } from '@quartermaster/kernel';
import { openRpcChannel } from '@quartermaster/rpc';
import pg from 'pg';
import type { StrangerOrders, StrangerReport, Try } from './start-stranger.ts';

const nobody = 65_534;
/** What says nothing within this time gave nothing. Long, because hundreds of tries share the machine with what they try. */
const patienceMs = 15_000;
/** How long an answer that has begun is read: it may be a stream. */
const readingMs = 1_500;
const maxText = 4_000;

const isService = (value: unknown): value is DescService =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service';
const services = [akash, cluster, fulfillment, extras, inventory, internal, market, removals].flatMap((contract) =>
  Object.values<unknown>(contract).filter(isService),
);

function tryFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EISDIR')) return messageOf(thrown);
  }
  try {
    return `lists ${readdirSync(path).join(', ')}`;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function tryHttp(scheme: 'http' | 'https', port: number, method: string, path: string): Promise<Try> {
  const what = `${scheme} ${method} ${path}`;
  return new Promise((resolve) => {
    let text = '';
    let status = 0;
    let type = '';
    const end = (): void => resolve({ port, what, outcome: String(status), type, text });
    const options = { host: '127.0.0.1', port, method, path, agent: false, headers: { 'content-type': 'application/json' } };
    const send = scheme === 'http' ? requestHttp(options) : requestHttps({ ...options, rejectUnauthorized: false });
    let timer = setTimeout(() => send.destroy(), patienceMs);
    send.once('response', (response) => {
      status = response.statusCode ?? 0;
      type = response.headers['content-type'] ?? '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (text === '') {
          clearTimeout(timer);
          timer = setTimeout(() => send.destroy(), readingMs);
        }
        if (text.length < maxText) text += chunk;
      });
      response.once('error', () => {});
      response.once('close', end);
    });
    send.on('error', () => {});
    send.once('close', () => {
      clearTimeout(timer);
      end();
    });
    send.end(method === 'GET' ? undefined : '{}');
  });
}

async function tryGrpc(port: number, method: DescMethod): Promise<Try> {
  const what = `grpc /${method.parent.typeName}/${method.name}`;
  const channel = openRpcChannel({ address: `127.0.0.1:${port}`, tries: 1, deadlineMs: patienceMs });
  const client = channel.client(method.parent) as Readonly<Record<string, (request: object, options: object) => unknown>>;
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const answer = client[method.localName]?.({}, { signal });
    const got = method.methodKind === 'unary' ? await (answer as Promise<unknown>) : await (answer as AsyncGenerator).next();
    const text = JSON.stringify(got, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    return { port, what, outcome: 'answered', type: '', text: text.slice(0, maxText) };
  } catch (thrown) {
    return { port, what, outcome: signal.aborted ? 'silent' : codeOf(thrown), type: '', text: messageOf(thrown) };
  } finally {
    channel.close();
  }
}

async function tryPostgres(port: number, user: string): Promise<Try> {
  const what = `postgres ${user}`;
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user,
    database: 'postgres',
    password: 'guess',
    connectionTimeoutMillis: patienceMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return { port, what, outcome: 'answered', type: '', text: 'connected' };
  } catch (thrown) {
    return { port, what, outcome: 'refused', type: '', text: messageOf(thrown) };
  } finally {
    await client.end().catch(() => {});
  }
}

/** What a port says by itself, or to a word that is nobody's protocol. */
function tryBytes(port: number): Promise<Try> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('INFO\r\n'));
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve({ port, what: 'bytes', outcome: 'closed', type: '', text: text.slice(0, maxText) }));
  });
}

/** Some at once: a port that says nothing takes its time. */
async function inTurns(work: readonly (() => Promise<Try>)[]): Promise<Try[]> {
  const left = [...work];
  const done: Try[] = [];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) done.push(await next());
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return done;
}

process.once('message', ({ files, ports, paths }: StrangerOrders) => {
  const tries = ports.flatMap((port) => [
    ...(['http', 'https'] as const).flatMap((scheme) => [
      ...paths.map((path) => () => tryHttp(scheme, port, 'GET', path)),
      ...['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((verb) => paths.map((path) => () => tryHttp(scheme, port, verb, path))),
    ]),
    ...services.flatMap(({ methods }) => methods.map((method) => () => tryGrpc(port, method))),
    ...['postgres', 'quartermaster', 'nobody'].map((user) => () => tryPostgres(port, user)),
    () => tryBytes(port),
  ]);
  void (async () => {
    // What is loaded when it is first used is loaded while it still may.
    await tryGrpc(1, akash.ClusterRPC.method.queryCluster);
    await tryPostgres(1, 'nobody');
    process.setgroups?.([]);
    process.setgid?.(nobody);
    process.setuid?.(nobody);
    const report: StrangerReport = {
      uid: process.getuid?.() ?? 0,
      files: files.map((file) => [file, tryFile(file)] as const),
      tries: await inTurns(tries),
    };
    process.send?.(report, () => process.disconnect());
  })();
});
