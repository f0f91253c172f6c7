// Runs `lepanto completion`: writes a script that completes commands and options in a shell.
import { isSwitch, type Options } from '../../../selfplay/question/option.js';
import { readArguments } from '../../terminal/options.js';
import { UsageError } from '../../terminal/usage.js';

export const help = `
usage: lepanto completion bash|zsh|fish

Writes a script that completes commands, options and their values. Add one of
these lines to the configuration of your shell:

  bash   source <(lepanto completion bash)
  zsh    source <(lepanto completion zsh)
  fish   lepanto completion fish | source
`;

/** A command with its options, for completion. */
export interface CompletedCommand {
  readonly name: string;
  readonly about: string;
  readonly options: Options;
}

const wordsOf = (option: Options[string]): readonly string[] => ('words' in option ? option.words : []);

/** Returns cases of a shell script for bash and zsh: the words after an option, or the options of a command. */
const cases = (commands: readonly CompletedCommand[]): string =>
  commands
    .flatMap(({ name, options }) => {
      const ofValues = Object.entries(options).flatMap(([option, value]) =>
        isSwitch(value) ? [] : [`    '${name} --${option}') words='${wordsOf(value).join(' ')}' ;;`],
      );
      const all = Object.keys(options).map((option) => `--${option}`);
      return [...ofValues, `    '${name} '*) words='${[...all, '--help'].join(' ')}' ;;`];
    })
    .join('\n');

const bash = (commands: readonly CompletedCommand[]): string => `_lepanto() {
  local words= current=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${commands.map(({ name }) => name).join(' ')} help --version'
  else
    case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${cases(commands)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _lepanto lepanto
`;

const zsh = (commands: readonly CompletedCommand[]): string => `#compdef lepanto
_lepanto() {
  local words_=
  if (( CURRENT == 2 )); then
    words_='${commands.map(({ name }) => name).join(' ')} help --version'
  else
    case "$words[2] $words[CURRENT-1]" in
${cases(commands).replaceAll(" words='", " words_='")}
    esac
  fi
  compadd -- \${=words_}
  [[ $PREFIX == -* ]] || _files
}
compdef _lepanto lepanto
`;

const quoted = (text: string): string => `'${text.replaceAll(/\s+/g, ' ').replaceAll(/[\\']/g, '\\$&')}'`;

const fish = (commands: readonly CompletedCommand[]): string =>
  commands
    .flatMap(({ name, about, options }) => [
      `complete -c lepanto -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`,
      ...Object.entries(options).map(([option, value]) => {
        const words = wordsOf(value);
        const takes = isSwitch(value) ? '' : words.length > 0 ? ` -x -a ${quoted(words.join(' '))}` : ' -r';
        const [meaning = ''] = value.help.split(/[.;:(]/);
        return `complete -c lepanto -n '__fish_seen_subcommand_from ${name}' -l ${option}${takes} -d ${quoted(meaning.trim())}`;
      }),
    ])
    .map((line) => `${line}\n`)
    .join('');

const shells = { bash, zsh, fish } as const;

/** Prints the script for the shell that `args` names. Returns the exit code. @throws UsageError for an unknown shell */
export const complete = (args: readonly string[], commands: readonly CompletedCommand[]): number => {
  const { positionals } = readArguments([...args], {});
  const [shell, ...more] = positionals;
  if (shell === undefined || !Object.hasOwn(shells, shell) || more.length > 0)
    throw new UsageError(`completion: got "${args.join(' ')}", wanted one of ${Object.keys(shells).join(', ')}`);
  process.stdout.write(shells[shell as keyof typeof shells](commands));
  return 0;
};
