/** Tenants who read logs and sit at shells. What they read is thrown away. */
import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { limit } from '@quartermaster/kernel';
import { type Deployed, type Heard, longLineLength, longLines, type Read, type TenantLease, type TenantRequest } from './protocol.ts';

const openedAtOnce = 16;
const typeEveryMs = 1_000;
const leastPauseMs = 5;
const stdin = 104;
const typed = Buffer.from([stdin, ...Buffer.from('seq 20\n')]);

const [certFile = '', told = ''] = process.argv.slice(2);
const { leases, talkative } = JSON.parse(told) as Deployed;
setDefaultCACertificates([...getCACertificates(), await readFile(certFile, 'utf8')]);

const open = new Set<WebSocket>();
let messages = 0;
const nobodyWrites = new Int32Array(new SharedArrayBuffer(4));

function connect(address: string, { dseq, token }: TenantLease, path: string): WebSocket {
  const socket = new WebSocket(`wss://${address}/lease/${dseq}/1/1/${path}`, { headers: { authorization: `Bearer ${token}` } });
  socket.binaryType = 'arraybuffer';
  return socket;
}

/** Resolves once it has said something. */
async function keepOpen(socket: WebSocket, onOpen: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  open.add(socket);
  socket.addEventListener('open', onOpen);
  socket.addEventListener('message', () => {
    messages += 1;
    resolve();
  });
  socket.addEventListener('close', ({ code, reason }) => {
    if (open.delete(socket)) throw new Error(`a stream ended by itself: ${code} ${reason}`);
  });
  await promise;
}

/** Of all services of all leases in turn. */
function sought(index: number): readonly [TenantLease, string] {
  const lease = leases[index % leases.length] ?? talkative;
  return [lease, lease.services[Math.floor(index / leases.length) % lease.services.length] ?? ''];
}

async function openAll(address: string, logs: number, shells: number): Promise<object> {
  const inTurn = limit(openedAtOnce);
  const times = (count: number, make: (index: number) => Promise<void>) =>
    Array.from({ length: count }, (_, index) => inTurn(() => make(index)));
  const log = async (index: number): Promise<void> => {
    const [lease, service] = sought(index);
    await keepOpen(connect(address, lease, `logs?service=${service}&follow=true&tail=1`), () => {});
  };
  const shell = async (index: number): Promise<void> => {
    const [lease, service] = sought(index);
    const socket = connect(address, lease, `shell?cmd0=sh&tty=1&stdin=1&service=${service}`);
    await keepOpen(socket, () => {
      const typing = setInterval(() => socket.send(typed), typeEveryMs);
      socket.addEventListener('close', () => clearInterval(typing));
    });
  };
  await Promise.all([...times(logs, log), ...times(shells, shell)]);
  messages = 0;
  return {};
}

async function closeAll(): Promise<Heard> {
  const heard = { messages };
  const closing = [...open];
  open.clear();
  const closed = closing.map((socket) => new Promise((resolve) => socket.addEventListener('close', resolve)));
  for (const socket of closing) socket.close();
  await Promise.all(closed);
  return heard;
}

/** The first half as fast as it comes, the second at half that speed: so the gateway has to wait. */
async function readLong(address: string): Promise<Read> {
  const half = (longLines * longLineLength) / 2;
  const begun = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(address, talkative, 'logs');
  let [bytes, halfMs] = [0, 0];
  socket.addEventListener('message', ({ data }) => {
    bytes += (JSON.parse(data as string) as { readonly message: string }).message.length;
    if (bytes < half) return;
    const tookMs = performance.now() - begun;
    halfMs ||= tookMs;
    const aheadMs = halfMs + ((bytes - half) / half) * halfMs * 2 - tookMs;
    // A reader that stands still reads nothing from its connection.
    if (aheadMs > leastPauseMs) Atomics.wait(nobodyWrites, 0, 0, aheadMs);
  });
  socket.addEventListener('close', ({ code, reason }) =>
    code === 1000 ? resolve() : reject(new Error(`the long log broke off after ${bytes} bytes: ${code} ${reason}`)),
  );
  await promise;
  return { bytes, bytesPerSecond: (half * 1000) / halfMs };
}

async function answer(request: TenantRequest): Promise<object> {
  if (request.kind === 'open') return await openAll(request.address, request.logs, request.shells);
  return request.kind === 'close' ? await closeAll() : await readLong(request.address);
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request: TenantRequest) => void answer(request).then((each) => process.send?.(each)));
process.send?.({});
