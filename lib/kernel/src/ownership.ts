/** What speaks against believing a file or a directory, said after its name; undefined where nothing does. Others must have none of the `forbidden` bits of its mode. */
export function ownershipProblem(
  { uid, mode }: { readonly uid: number; readonly mode: number },
  { me, forbidden }: { readonly me: number | undefined; readonly forbidden: number },
): string | undefined {
  if (me !== undefined && uid !== me) return `is owned by user ${uid}, but must be owned by the user who runs this (${me})`;
  if ((mode & forbidden) === 0) return undefined;
  return `has mode ${(mode & 0o777).toString(8).padStart(3, '0')}, but must not be ${forbidden === 0o022 ? 'writable' : 'accessible'} by other users`;
}
