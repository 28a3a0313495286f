import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Hosts, HostsGetRequestSchema, HostsUpdateRequestSchema } from '@quartermaster/api/private';
import { invalidFields, StatusError } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel, type RpcServer, type ServiceHandlers, serve, startRpcServer } from '@quartermaster/rpc';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const violations = [{ field: 'spec.class', description: 'there is no host class "x"' }];

describe('requests over gRPC that are not in order', () => {
  const seen: unknown[] = [];
  let server: RpcServer;
  let channel: RpcChannel;
  let raw: Client;

  beforeEach(async () => {
    seen.length = 0;
    const keep = (request: unknown) => {
      seen.push(request);
      return {};
    };
    const refuse = (): never => {
      throw invalidFields(violations);
    };
    const handlers: ServiceHandlers<typeof Hosts> = { list: keep, get: keep, create: refuse, update: keep, delete: keep, signal: keep };
    server = await startRpcServer({ services: [serve(Hosts, handlers)] });
    channel = openRpcChannel({ address: server.address, tries: 1 });
    raw = new Client(server.address, credentials.createInsecure());
  });

  afterEach(async () => {
    raw.close();
    channel.close();
    await server.stop(0);
  });

  /** Sends bytes as they are; answers with the error or undefined. */
  const send = (method: string, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<ServiceError | undefined> => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.add(name, value);
    return new Promise((resolve) => {
      const pass = (value: Uint8Array): Buffer => Buffer.from(value);
      raw.makeUnaryRequest(`/private.v1.Hosts/${method}`, pass, pass, bytes, metadata, (error) => resolve(error ?? undefined));
    });
  };

  it('are INVALID_ARGUMENT when their bytes are no message', async () => {
    const error = await send('Get', new Uint8Array([0x0a, 0xff]));
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringContaining('private.v1.HostsGetRequest') });
    expect(seen).toEqual([]);
  });

  it('are never INTERNAL, whatever their bytes are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
        const error = await send('Update', bytes);
        expect(error === undefined).toBe(isMessage(bytes));
        if (error !== undefined) expect(error.code).toBe(status.INVALID_ARGUMENT);
      }),
      { numRuns: 300 },
    );
  });

  it('name the fields as google.rpc.BadRequest, which our client reads too', async () => {
    const error = await send('Create', new Uint8Array());
    const [trailer] = error?.metadata.get('grpc-status-details-bin') ?? [];
    expect(Buffer.from(trailer ?? '').toString('latin1')).toContain('type.googleapis.com/google.rpc.BadRequest');
    const failure = await channel
      .client(Hosts)
      .create({})
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(StatusError);
    expect(failure).toMatchObject({ code: 'invalid_argument', details: { fieldViolations: violations } });
  });

  it('take the header x-dry-run for the field, and are refused where nothing could only be tried', async () => {
    const headers = { 'x-dry-run': 'true' };
    expect(await send('Update', new Uint8Array(), headers)).toBeUndefined();
    expect(await send('Get', toBinary(HostsGetRequestSchema, create(HostsGetRequestSchema, { id: 'h' })), headers)).toBeUndefined();
    expect(seen).toMatchObject([{ dryRun: true }, { id: 'h' }]);
    const error = await send('Signal', new Uint8Array(), headers);
    expect(error).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('/private.v1.Hosts/Signal does not support dry run'),
    });
    expect(seen).toHaveLength(2);
  });
});

function isMessage(bytes: Uint8Array): boolean {
  try {
    fromBinary(HostsUpdateRequestSchema, bytes);
    return true;
  } catch {
    return false;
  }
}
