import { codeOf } from '@quartermaster/kernel';
import type { CallContext, ServedService } from '@quartermaster/rpc';
import { accessTable } from '../auth/access-table.ts';
import type { RefusedWrite } from '../auth/authenticator.ts';
import { principalOf } from '../auth/principal.ts';

/**
 * The same services, which tell of every write that a handler refused for want of a right: somebody else's source, a tenant that cannot be given. What the role
 * alone forbids never gets to a handler; the authenticator tells of it.
 */
export function auditRefusals(services: readonly ServedService[], onRefusedWrite: (refused: RefusedWrite) => void): ServedService[] {
  return services.map(({ descriptor, methods }) => ({
    descriptor,
    methods: methods.map((served) => {
      const path = `/${descriptor.typeName}/${served.descriptor.name}`;
      if (served.kind !== 'unary' || accessTable.get(path)?.effect !== 'write') return served;
      const call: typeof served.call = async (request, context) => {
        try {
          return await served.call(request, context);
        } catch (thrown) {
          if (codeOf(thrown) === 'permission_denied') onRefusedWrite(refusalOf(context));
          throw thrown;
        }
      };
      return { ...served, call };
    }),
  }));
}

function refusalOf({ identity, method, peer }: CallContext): RefusedWrite {
  return { principal: principalOf(identity), method, peer };
}
