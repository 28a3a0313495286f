/** Loads @peculiar/x509, whose injection container refuses to load unless `Reflect` can keep metadata. */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}
