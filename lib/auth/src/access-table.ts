/** Who may call a method, and whether a refusal is worth an entry in the audit log. */
export interface MethodAccess<Role extends string = string> {
  /** `anyone` needs no identity. */
  readonly callers: 'anyone' | readonly Role[];
  /** `reveal` gives out secrets. */
  readonly effect: 'read' | 'write' | 'reveal';
  /** How holders of a role that is not among the callers could become one, where that is not by another role. */
  readonly wayIn?: { readonly [R in Role]?: string } | undefined;
}

/** Every method that a service serves: `/package.Service/Method` -> who may call it. */
export type AccessTable = ReadonlyMap<string, MethodAccess>;

/** The table of a service: name of the service in the contract -> method -> access. */
export function accessTable(services: Readonly<Record<string, Readonly<Record<string, MethodAccess>>>>): AccessTable {
  return new Map(
    Object.entries(services).flatMap(([service, methods]) =>
      Object.entries(methods).map(([method, access]) => [`/${service}/${method}`, access] as const),
    ),
  );
}

/** Whether a role may call the method at all. Which objects it meets there is a matter of tenants. A method that is not in the table is closed. */
export function mayCall(table: AccessTable, role: string, method: string): boolean {
  const callers = table.get(method)?.callers;
  return callers === 'anyone' || callers?.includes(role) === true;
}

/** Every method that the role may call, sorted. */
export function rightsOf(table: AccessTable, role: string): string[] {
  return [...table.keys()].filter((method) => mayCall(table, role, method)).toSorted();
}
