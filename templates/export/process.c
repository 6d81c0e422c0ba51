/* What belongs to the process, which a library leaves as it is. */
#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum part { SIGNAL_HANDLERS, BLOCKED_SIGNALS, FLOATING_POINT, LOCALE, WORKING_DIRECTORY, ENVIRONMENT, LIMITS, DESCRIPTORS, SCHEDULING, THREAD_NAMES, CHILDREN, STANDARD_OUTPUT, WORKING_FILES, TEMPORARY_FILES, HOME_FILES, SHARED_FILES, PARTS };

#define MOST_DESCRIPTORS 64
extern char **environ;

/* The text of each part. */
static struct process {
  char *part[PARTS];
} before;

/* Whether a name has the number of this process in it. */
static bool is_ours(const char *name) {
  char number[16];
  size_t length = (size_t)snprintf(number, sizeof number, "%d", (int)getpid());
  for (const char *at = strstr(name, number); at; at = strstr(at + 1, number))
    if ((at == name || at[-1] < '0' || at[-1] > '9') && (at[length] < '0' || at[length] > '9')) return true;
  return false;
}

/* The names in a directory; of one that all programs share only those with the number of this process. */
static void list(FILE *out, const char *path, bool is_shared) {
  DIR *directory = opendir(path);
  for (struct dirent *one; directory && (one = readdir(directory));) {
    const char *name = one->d_name;
    bool is_kept = !strcmp(name, ".cache") || !strcmp(name, ".config") || !strcmp(name, ".local");
    if (!is_kept && (!is_shared || is_ours(name))) fprintf(out, "%s/%s\n", path, name);
  }
  if (directory) closedir(directory);
}

/* Directories of this program for temporary files and as a home. */
static char temporary[4200], home[4200];

static void look(struct process *now) {
  char *text[PARTS];
  size_t size[PARTS];
  FILE *out[PARTS];
  fflush(stdout);
  for (int i = 0; i < PARTS; i++) out[i] = open_memstream(&text[i], &size[i]);
  for (int number = 1; number < 32; number++) {
    struct sigaction action;
    /* The program has its own for SIGALRM. */
    if (number == SIGALRM || sigaction(number, NULL, &action)) continue;
    fprintf(out[SIGNAL_HANDLERS], "%d %p\n", number, (void *)(uintptr_t)action.sa_sigaction);
  }
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number < 32; number++)
    if (sigismember(&blocked, number)) fprintf(out[BLOCKED_SIGNALS], "%d\n", number);
  fprintf(out[FLOATING_POINT], "rounding %d\n", fegetround());
  fenv_t floating_point;
  fegetenv(&floating_point);
#if defined __x86_64__
  fprintf(out[FLOATING_POINT], "x87 control 0x%x, MXCSR 0x%x\n", floating_point.__control_word, floating_point.__mxcsr & ~0x3fu);
#elif defined __aarch64__
  fprintf(out[FLOATING_POINT], "FPCR 0x%x\n", floating_point.__fpcr);
#endif
  fprintf(out[LOCALE], "%s\n", setlocale(LC_ALL, NULL));
  char path[4096];
  if (getcwd(path, sizeof path)) fprintf(out[WORKING_DIRECTORY], "%s\n", path);
  for (char **one = environ; *one; one++) fprintf(out[ENVIRONMENT], "%s\n", *one);
  mode_t mask = umask(0);
  umask(mask);
  fprintf(out[LIMITS], "umask 0%o\n", mask);
  for (int which = 0; which < RLIM_NLIMITS; which++) {
    struct rlimit limit;
    if (!getrlimit(which, &limit)) fprintf(out[LIMITS], "limit %d: %ju %ju\n", which, (uintmax_t)limit.rlim_cur, (uintmax_t)limit.rlim_max);
  }
  for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
    struct stat file;
    if (!fstat(fd, &file)) fprintf(out[DESCRIPTORS], "%d: %ju %ju\n", fd, (uintmax_t)file.st_dev, (uintmax_t)file.st_ino);
  }
  cpu_set_t processors;
  sched_getaffinity(0, sizeof processors, &processors);
  fprintf(out[SCHEDULING], "%d processors, priority %d\n", CPU_COUNT(&processors), getpriority(PRIO_PROCESS, 0));
  char name[16];
  if (!pthread_getname_np(pthread_self(), name, sizeof name)) fprintf(out[THREAD_NAMES], "%s\n", name);
  siginfo_t child;
  if (!waitid(P_ALL, 0, &child, WNOHANG | WEXITED | WNOWAIT | __WALL)) fprintf(out[CHILDREN], "there are some\n");
  struct stat output;
  if (!fstat(1, &output)) fprintf(out[STANDARD_OUTPUT], "%jd bytes\n", (intmax_t)output.st_size);
  list(out[WORKING_FILES], ".", false);
  list(out[TEMPORARY_FILES], temporary, false);
  list(out[HOME_FILES], home, false);
  list(out[SHARED_FILES], "/tmp", true);
  list(out[SHARED_FILES], "/var/tmp", true);
  list(out[SHARED_FILES], "/dev/shm", true);
  for (int i = 0; i < PARTS; i++) {
    fclose(out[i]);
    now->part[i] = text[i];
  }
}

/* Before the plugin is loaded. Its standard output is memory: this program writes nothing there. */
static void remember_process(void) {
  int output = memfd_create("output", 0);
  if (output < 0 || dup2(output, 1) < 0 || close(output)) exit(DIVERGES);
  char scratch[] = "scratch-XXXXXX", here[4096];
  if (!getcwd(here, sizeof here) || !mkdtemp(scratch)) exit(DIVERGES);
  snprintf(temporary, sizeof temporary, "%s/%s/temporary", here, scratch);
  snprintf(home, sizeof home, "%s/%s/home", here, scratch);
  if (mkdir(temporary, 0700) || mkdir(home, 0700) || setenv("TMPDIR", temporary, 1) || setenv("HOME", home, 1)) exit(DIVERGES);
  look(&before);
}

/* Whether a line of a text is in another. */
static bool has_line(const char *text, const char *line, size_t length) {
  for (; *text; text += strcspn(text, "\n") + 1)
    if (strcspn(text, "\n") == length && !memcmp(text, line, length)) return true;
  return false;
}

/* Whether a part of the process is not as it was before the plugin was loaded: descriptors that it had must be the same. */
static bool changed(enum part part) {
  struct process now;
  look(&now);
  const char *then = before.part[part], *here = now.part[part];
  bool is_other = false;
  for (const char *line = then; *line; line += strcspn(line, "\n") + 1)
    if (!has_line(here, line, strcspn(line, "\n"))) is_other = true;
  for (const char *line = here; *line && part != DESCRIPTORS; line += strcspn(line, "\n") + 1)
    if (!has_line(then, line, strcspn(line, "\n"))) is_other = true;
  if (is_other) fprintf(stderr, "before:\n%snow:\n%s", then, here);
  return is_other;
}

