declare module '*/man' {
  const pages: Readonly<Record<string, string>>;
  export default pages;
}
declare module '*/browser' {
  const files: Readonly<Record<string, string>>;
  export default files;
}
declare module '*/completions/sched.bash' {
  const text: string;
  export default text;
}
declare module '*/completions/_sched' {
  const text: string;
  export default text;
}
declare module '*/completions/sched.fish' {
  const text: string;
  export default text;
}
declare module '*/completions/sched.ps1' {
  const text: string;
  export default text;
}
declare module '*.md' {
  const text: string;
  export default text;
}
declare module '*.sh' {
  const text: string;
  export default text;
}
declare module '*.sql' {
  const text: string;
  export default text;
}
declare module '*.yaml' {
  const text: string;
  export default text;
}
