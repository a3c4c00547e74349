/** CPU time of the whole process in milliseconds, helper threads included: garbage and compilation are paid for too. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
