/** How often something is done: so often in every run, and more often in `npm run soak`. */
export const times = (usually: number, inSoak: number): number => (process.env['QUARTERMASTER_TEST_SOAK'] === 'true' ? inSoak : usually);
