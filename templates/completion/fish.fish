# Completion of pjrt-conformance in fish. To load it: pjrt-conformance completion fish | source

function __pjrt_conformance_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l prefix (string match -r -- '^--[^=]+=' $current)
    set -l tool (string replace -r -- '^~' $HOME $words[1])
    set -l lines ($tool complete -- $words[2..-1] "$current" 2>/dev/null)
    for line in $lines[2..-1]
        echo "$prefix$line"
    end
    if test "$lines[1]" = files
        for path in (__fish_complete_path (string replace -r -- '^--[^=]+=' '' $current))
            echo "$prefix$path"
        end
    end
end

complete -c pjrt-conformance -f -a '(__pjrt_conformance_complete)'
