/**
 * How Node runs the program, however it is started: the first line of quartermaster.mjs, the image and `npm start` say the same. By itself Node gives the youngest objects
 * more room the more memory the machine has, up to 200 MB, which no cache of a processor holds: the inventory of 5 000 nodes then takes 200 MB more and an event costs half
 * as much again.
 */
export const nodeFlags = ['--max-semi-space-size=16'];
