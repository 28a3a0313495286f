/**
 * One tab of the origin after the other asks who looks. That may renew the session, and a refresh token may be good for one use: the next tab sends the cookie
 * that the one before it got. Where the browser has no locks, which is so without TLS beyond loopback, all ask at once.
 */
export async function inTurn<T>(ask: () => Promise<T>, { locks }: Partial<Pick<Navigator, 'locks'>> = navigator): Promise<T> {
  if (locks === undefined) return await ask();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  await locks.request('quartermaster-session', () => ask().then(resolve, reject));
  return await promise;
}
