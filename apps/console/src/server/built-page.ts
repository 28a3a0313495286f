import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { StatusError } from '@quartermaster/kernel';
import type { FastifyInstance } from 'fastify';

const noncePlaceholder = '__CSP_NONCE__';

/** The page of a folder that a build made. */
export async function readPage(assets: string): Promise<string> {
  try {
    return await readFile(join(assets, 'index.html'), 'utf8');
  } catch (cause) {
    throw new StatusError('failed_precondition', `assets names ${assets}, where there is no built console: build it first`, { cause });
  }
}

/** Serves the page and its files, which hold no data. Every path that is no file and no API is a view of the page, which finds out itself which one. */
export async function addPage(server: FastifyInstance, assets: string, page: string): Promise<void> {
  await server.register(fastifyStatic, { root: join(assets, 'assets'), prefix: '/assets/', index: false, immutable: true, maxAge: '1y' });
  server.get('/*', (request, reply) => {
    if (request.url.startsWith('/api/')) {
      throw new StatusError('not_found', `there is nothing at ${request.url}: see what the README of the console lists`);
    }
    return reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(noncePlaceholder, request.nonce));
  });
}
