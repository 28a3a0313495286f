import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { sessionPath } from '../../console-session.ts';
import { answerErrors } from '../../server/answer-errors.ts';
import { linksPath } from '../../session-view.ts';
import { limitSignIns } from './limit-sign-ins.ts';

function limited() {
  const clock = new FakeClock();
  const server = fastify();
  let asked = 0;
  answerErrors(server, silentLog);
  limitSignIns(server, clock);
  const signIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    asked += 1;
    if (request.headers.authorization === 'undecided') throw new StatusError('unavailable', 'one service cannot be asked');
    if (request.headers.authorization !== 'good') throw new StatusError('unauthenticated', 'nobody knows it');
    return reply.send({});
  };
  server.post(sessionPath, signIn);
  server.post(linksPath, signIn);
  server.get(sessionPath, (_request, reply) => reply.send({}));
  const post = async (authorization: string, remoteAddress = '192.0.2.7', path = sessionPath): Promise<number> =>
    (await server.inject({ method: 'POST', url: path, headers: { authorization }, remoteAddress })).statusCode;
  return { clock, server, post, asked: () => asked };
}

describe('sign-ins', () => {
  it('of a browser that guesses are turned away before a service is asked, and those of others are not', async () => {
    const { clock, server, post, asked } = limited();
    for (let guess = 0; guess < 10; guess += 1) {
      expect(await post(`guess ${guess}`)).toBe(401);
      expect(await post(`guess ${guess}`, '192.0.2.7', linksPath)).toBe(401);
    }
    expect(await post('another')).toBe(429);
    expect(await post('another', '192.0.2.7', `${linksPath}?again`)).toBe(429);
    expect(await post('good')).toBe(429);
    expect(asked()).toBe(20);
    expect(await post('good', '192.0.2.8')).toBe(200);
    expect(await post('good', '2001:db8::7')).toBe(200);
    expect((await server.inject({ url: sessionPath, remoteAddress: '192.0.2.7' })).statusCode).toBe(200);
    await clock.advance(200);
    expect(await post('good')).toBe(200);
  });

  it('that succeed count for nothing: many people may come by one proxy', async () => {
    const { post } = limited();
    for (let person = 0; person < 100; person += 1) expect(await post('good')).toBe(200);
  });

  it('count as well while a service cannot be asked about them', async () => {
    const { post } = limited();
    for (let guess = 0; guess < 20; guess += 1) expect(await post('undecided')).toBe(503);
    expect(await post('undecided')).toBe(429);
  });
});
