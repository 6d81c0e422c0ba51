// Tests the PJRT plugin of this repository on every change. Written by `pjrt-conformance init`; edit it freely.
// The package is not in the npm registry yet: commit {{tarball}}, which `npm pack` makes in its repository.
pipeline {
    agent any // with Node.js 20.19 or newer
    options {
        timeout(time: 60, unit: 'MINUTES')
    }
    stages {
        // stage('Build') {
        //     steps {
        //         sh 'make plugin'
        //     }
        // }
        stage('PJRT conformance') {
            steps {
                // Fails the build when the plugin does not conform.
                sh '{{command}}'
            }
        }
    }
    post {
        always {
            // The exit code of the command decides; the results are shown.
            junit testResults: '{{reports}}/junit.xml', allowEmptyResults: true, keepProperties: true, skipMarkingBuildUnstable: true, skipPublishingChecks: true
            archiveArtifacts artifacts: '{{reports}}/**', allowEmptyArchive: true
        }
    }
}
