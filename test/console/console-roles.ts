import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureConsoleBuilt } from '@quartermaster/console';
import { consoleRole } from '@quartermaster/console/roles';
import { type Clock, silentLog, systemClock } from '@quartermaster/kernel';
import { type RunningRole, type StartRoleOptions, startRole } from '@quartermaster/runtime/testing';
import { type CertificateAuthority, createCertificateAuthority } from '../kube/certificates.ts';

/** Real time, which a test sets forward. */
export class AheadClock implements Clock {
  aheadMs = 0;
  now = (): number => systemClock.now() + this.aheadMs;
  monotonic = (): number => systemClock.monotonic() + this.aheadMs;
  schedule = (afterMs: number, callback: () => void): (() => void) => systemClock.schedule(afterMs, callback);
}

/** An inventory that answers everybody who shows a token, and remembers what it was asked. Of callers it knows these. */
export class ScriptedInventory {
  readonly callers = new Map<string, { readonly name: string; readonly role: string }>(); // token -> whose it is
  readonly asked: { readonly url: string; readonly authorization: string | undefined; readonly cookie: string | undefined }[] = [];
  readonly streams: ServerResponse[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const { authorization, cookie } = request.headers;
      if (request.url === '/readyz') return void response.end('ok');
      if (request.url === '/v1/session') {
        const caller = this.callers.get(authorization?.slice('Bearer '.length) ?? '');
        return void response.writeHead(caller === undefined ? 404 : 200).end(JSON.stringify(caller ?? {}));
      }
      this.asked.push({ url: request.url ?? '', authorization, cookie });
      if (request.url?.startsWith('/v1/views:watch') !== true) {
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"sentAt":"2026-01-02T03:04:05Z"}');
      }
      this.streams.push(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"view":"nodes"}\n\n');
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A folder with a certificate for 127.0.0.1, in which consoles are started. */
export class ConsoleSite {
  readonly folder: string;
  readonly authority: CertificateAuthority;
  readonly #running: RunningRole[] = [];

  private constructor(folder: string, authority: CertificateAuthority) {
    this.folder = folder;
    this.authority = authority;
  }

  static async make(): Promise<ConsoleSite> {
    await ensureConsoleBuilt({ log: silentLog });
    const site = new ConsoleSite(await mkdtemp(join(tmpdir(), 'console-role-')), await createCertificateAuthority('consoles'));
    const { certificate, key } = await site.authority.issueServer({ commonName: 'console', hosts: ['127.0.0.1', 'localhost'] });
    await site.file('tls.crt', certificate);
    await site.file('tls.key', key);
    await site.file('ca.crt', site.authority.certificate);
    return site;
  }

  async file(name: string, content: string): Promise<string> {
    await writeFile(join(this.folder, name), content, { mode: 0o600 });
    return join(this.folder, name);
  }

  /** A console with TLS. Resolves with it and with where it is. */
  async start(
    args: readonly string[],
    options: Omit<StartRoleOptions, 'args'> = {},
  ): Promise<{ readonly role: RunningRole; readonly url: string }> {
    const tls = [`--console-tls-cert-file=${join(this.folder, 'tls.crt')}`, `--console-tls-key-file=${join(this.folder, 'tls.key')}`];
    const role = await startRole(consoleRole, { ...options, args: [...tls, ...args] });
    this.#running.push(role);
    const detail = role.status()?.detail as { readonly http: string } | undefined;
    return { role, url: detail?.http ?? '' };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((role) => role.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}
