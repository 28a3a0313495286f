import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { type Principal, principalOf } from '@quartermaster/auth';
import type { StoredObject } from '@quartermaster/store';
import type { PublicObject } from '../kinds/index.ts';
import { parseMask } from '../masks/index.ts';
import { maskedThrough, type Projection } from '../projection/index.ts';
import { callOf } from './call.ts';
import { listAnswer, lockedVersion, maskOf, type ObjectHandlers, required, unmasked } from './handlers.ts';
import type { ObjectWriter } from './object-writer.ts';
import type { ObjectReader, ShownForm } from './read-objects.ts';
import { withSeenTenants } from './visibility.ts';

/** What such rules ask for is private. */
const sendsNothing = (): boolean => false;

/** The public API: the same objects, and of each what the projection shows. Whatever it does not show cannot be filtered, ordered by, named in a mask or written. */
export function publicHandlers<M extends StoredObject, P extends PublicObject>(
  reader: ObjectReader<M>,
  writer: ObjectWriter<M>,
  projection: Projection<GenMessage<P>, GenMessage<M>>,
): ObjectHandlers<P> {
  const { kind } = reader;
  const { publicSchema } = projection;
  const unfilterable = new Set(projection.unfilterable);
  const outputOnly = [...kind.rules.outputOnly, ...kind.rules.publicOutputOnly];
  const shown = (principal: Principal, object: M): P => withSeenTenants(principal, projection.toPublic(object));
  return {
    list: async (request, context) => {
      const principal = principalOf(context.identity);
      const form: ShownForm<M> = {
        schema: publicSchema,
        hidden: (path) => unfilterable.has(path.join('.')),
        show: (object) => shown(principal, object),
      };
      const page = await reader.list(principal, request, form);
      return listAnswer(
        page,
        page.items.map((object) => shown(principal, object)),
      );
    },
    get: async ({ id }, context) => {
      const principal = principalOf(context.identity);
      return { object: shown(principal, await reader.get(principal, id)) };
    },
    create: async (request, context) => {
      const call = callOf(context, request);
      const object = projection.toPrivate(required(request.object), undefined);
      return { object: shown(call.principal, await writer.create(call, object, outputOnly)) };
    },
    update: async (request, context) => {
      const call = callOf(context, request);
      const input = required(request.object);
      const paths = maskOf(request.updateMask, (texts) => parseMask(publicSchema, texts));
      const merge = (stored: M) =>
        paths === undefined
          ? { ...unmasked(kind, stored, projection.toPrivate(input, stored), outputOnly), sends: sendsNothing }
          : { ...maskedThrough(projection, stored, input, paths, { secrets: kind.secretPaths, outputOnly }), sends: sendsNothing };
      return { object: shown(call.principal, await writer.update(call, { id: input.id, version: lockedVersion(request, input), merge })) };
    },
    delete: async (request, context) => {
      await writer.delete(callOf(context, request), request.id, request.version === 0n ? undefined : request.version);
      return {};
    },
  };
}
